package dev.tollgate.server.cli;

import dev.tollgate.server.cli.option.ConfigOptions;
import dev.tollgate.server.settings.LoadResult;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.SettingsPart;
import dev.tollgate.server.settings.yaml.Problem;
import dev.tollgate.server.wiring.Server;
import dev.tollgate.server.wiring.StartException;
import dev.tollgate.server.wiring.StartupInfo;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Command {@code tollgate serve}: runs the gateway until it is stopped. */
@Command(
    name = "serve",
    description = "Run the gateway until SIGTERM.",
    mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Mixin private ConfigOptions config = new ConfigOptions();

  @Override
  public Integer call() throws InterruptedException {
    return switch (config.load(SettingsPart.ALL)) {
      case LoadResult.Invalid invalid -> refuse(invalid.problems());
      case LoadResult.Valid valid -> {
        valid.warnings().forEach(warning -> err().println("warning: " + warning));
        yield serve(valid.settings());
      }
    };
  }

  private int refuse(List<Problem> problems) {
    problems.forEach(err()::println);
    return 1;
  }

  private int serve(Settings settings) throws InterruptedException {
    try (var server = new Server(settings, () -> config.load(SettingsPart.ALL))) {
      server.installSignalHandlers();
      switch (server.start()) {
        case Server.Start.Ready(StartupInfo info) -> {
          printStartupInfo(info);
          server.awaitDrained();
        }
        case Server.Start.Stopped _ -> {
          // stopped on request
        }
      }
      return server.exitReason().exitCode();
    } catch (StartException e) {
      err().println(e.getMessage());
      return 1;
    }
  }

  private void printStartupInfo(StartupInfo info) {
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    out.println("Tollgate serves " + info.baseUrl());
    String key = info.bootstrapKey();
    if (key != null) {
      out.println("The first API key, shown only now: " + key);
      String model = info.model();
      if (model != null) {
        out.println(curl(info.baseUrl(), key, model));
      }
    }
    printDashboard(out, info);
    out.flush();
  }

  /**
   * Prints where browsers find the dashboard, with the link of the first set-up if there is one.
   */
  private static void printDashboard(PrintWriter out, StartupInfo info) {
    String url = info.setUpUrl() == null ? info.controlUrl() : info.setUpUrl();
    if (url != null) {
      out.println("dashboard  " + url);
    }
  }

  /** Returns a shell command that requests a stream. */
  private static String curl(String baseUrl, String key, String model) {
    return """

        curl -N %s/chat/completions \\
          -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' \\
          -d '{"model":"%s","stream":true,"messages":[{"role":"user","content":"Hello"}]}'
        """
        .formatted(baseUrl, key, model);
  }

  private PrintWriter err() {
    return Objects.requireNonNull(spec).commandLine().getErr();
  }
}
