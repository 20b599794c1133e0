package dev.tollgate.server.cli;

import dev.tollgate.server.cli.option.ConfigOptions;
import dev.tollgate.server.settings.LoadResult;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.SettingsPart;
import dev.tollgate.server.settings.yaml.Problem;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command {@code tollgate check}: reports every problem of a configuration. */
@Command(
    name = "check",
    description = "Validate a configuration; with --connect also connect to everything it names.",
    mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Mixin private ConfigOptions config = new ConfigOptions();

  @Option(
      names = "--connect",
      description =
          "Also connect to the store, Redis, the object storage and the providers, and try keys.")
  private boolean connect;

  @Override
  public Integer call() throws InterruptedException {
    return switch (config.load(SettingsPart.ALL)) {
      case LoadResult.Invalid invalid -> report(invalid.problems());
      case LoadResult.Valid valid -> {
        valid.warnings().forEach(warning -> line().getErr().println("warning: " + warning));
        yield report(valid.settings());
      }
    };
  }

  private int report(List<Problem> problems) {
    PrintWriter err = line().getErr();
    problems.forEach(err::println);
    err.println(problems.size() == 1 ? "1 problem" : problems.size() + " problems");
    return 1;
  }

  private int report(Settings settings) throws InterruptedException {
    PrintWriter out = line().getOut();
    out.printf(
        "%s is valid: %d providers, %d models%n",
        config.file(), settings.providers().size(), settings.models().size());
    return connect ? checkConnectivity(settings) : 0;
  }

  private int checkConnectivity(Settings settings) throws InterruptedException {
    int failed = 0;
    var check = new ConnectivityCheck(settings);
    check.scopeWarnings().forEach(warning -> line().getErr().println("warning: " + warning));
    for (ConnectivityResult result : check.run()) {
      switch (result) {
        case ConnectivityResult.Reachable reachable ->
            line().getOut().println(reachable.target() + ": " + reachable.detail());
        case ConnectivityResult.Unreachable unreachable -> {
          line().getErr().println(unreachable.target() + ": " + unreachable.reason());
          failed++;
        }
      }
    }
    return failed == 0 ? 0 : 1;
  }

  private CommandLine line() {
    return Objects.requireNonNull(spec).commandLine();
  }
}
