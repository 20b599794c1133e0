package dev.tollgate.server.cli;

import dev.tollgate.server.cli.option.SpanConverter;
import dev.tollgate.server.wiring.MockServer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Command {@code tollgate mock}: runs the bundled mock provider until SIGTERM. */
@Command(
    name = "mock",
    description =
        "Run the bundled mock provider; a request's model selects its behaviour or fault.",
    mixinStandardHelpOptions = true)
final class MockCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--port",
      defaultValue = "9900",
      description = "Port on 127.0.0.1; 0: any free port.")
  private int port;

  @Option(
      names = "--ttft",
      defaultValue = "50ms",
      converter = SpanConverter.class,
      description = "Time to the first token.")
  private Duration ttft = Duration.ZERO;

  @Option(
      names = "--chunk-interval",
      defaultValue = "20ms",
      converter = SpanConverter.class,
      description = "Time between two tokens.")
  private Duration chunkInterval = Duration.ZERO;

  @Option(names = "--chunks", defaultValue = "64", description = "Tokens of a reply.")
  private int chunks;

  @Option(names = "--seed", defaultValue = "1", description = "Seed of generated words and ids.")
  private long seed;

  @Option(names = "--threads", defaultValue = "1", description = "Number of event loops.")
  private int threads;

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    try (MockServer server = start(line)) {
      line.getOut().println(server.baseUrl());
      line.getOut().flush();
      server.awaitStop();
      return 0;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return 0;
    } catch (IllegalStateException e) {
      line.getErr().println(e.getMessage());
      return 1;
    }
  }

  private MockServer start(CommandLine line) {
    try {
      return MockServer.start(port, ttft, chunkInterval, chunks, seed, threads);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, String.valueOf(e.getMessage()), e);
    }
  }
}
