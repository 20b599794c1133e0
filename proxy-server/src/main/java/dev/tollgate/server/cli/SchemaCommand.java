package dev.tollgate.server.cli;

import dev.tollgate.server.settings.Settings;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Command {@code tollgate schema}: prints the JSON Schema of the configuration. */
@Command(
    name = "schema",
    description = "Print the JSON Schema of the configuration, for editors.",
    mixinStandardHelpOptions = true)
final class SchemaCommand implements Runnable {
  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    Objects.requireNonNull(spec).commandLine().getOut().println(Settings.schema());
  }
}
