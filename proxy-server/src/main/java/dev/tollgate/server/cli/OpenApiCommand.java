package dev.tollgate.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Command {@code tollgate openapi}: prints the OpenAPI document of the API. */
@Command(
    name = "openapi",
    description = "Print the OpenAPI document of the API, for code generators.",
    mixinStandardHelpOptions = true)
final class OpenApiCommand implements Runnable {
  private static final String RESOURCE = "/openapi.json";

  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    var out = Objects.requireNonNull(spec).commandLine().getOut();
    out.print(document());
    out.flush();
  }

  static String document() {
    try (InputStream in = OpenApiCommand.class.getResourceAsStream(RESOURCE)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
