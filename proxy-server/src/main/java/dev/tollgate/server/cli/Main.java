package dev.tollgate.server.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program {@code tollgate}: its subcommands are classes of their own in this package. */
@Command(
    name = "tollgate",
    description = "One API key in front of many model providers.",
    mixinStandardHelpOptions = true,
    subcommands = {
      Check.class,
      Schema.class,
      Serve.class,
      Migrate.class,
      Backup.class,
      Orgs.class,
      Credits.class,
      Keys.class,
      Status.class,
      Healthcheck.class,
      Reload.class,
      Drain.class,
      Mock.class,
    },
    versionProvider = Version.class)
public final class Main implements Runnable {
  @Spec private CommandSpec spec;

  /** Runs the command and exits with its code: 0 ok, 1 failed, 2 usage, 3 threshold missed. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main());
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing subcommand");
  }
}
