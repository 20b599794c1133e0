package dev.tollgate.server.cli;

import dev.tollgate.server.cli.gateway.DrainCommand;
import dev.tollgate.server.cli.gateway.HealthcheckCommand;
import dev.tollgate.server.cli.gateway.ReloadCommand;
import dev.tollgate.server.cli.gateway.StatusCommand;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Entry point of the program {@code tollgate}, which parses the command line and runs a subcommand.
 */
@Command(
    name = "tollgate",
    description = "One API key in front of many model providers.",
    mixinStandardHelpOptions = true,
    versionProvider = VersionProvider.class)
public final class Main implements Runnable {
  /** Subcommands in the order of the help text. */
  static final List<String> COMMANDS =
      List.of(
          "check",
          "schema",
          "openapi",
          "serve",
          "migrate",
          "store",
          "orgs",
          "users",
          "members",
          "credits",
          "ledger",
          "keys",
          "audit",
          "requests",
          "usage",
          "jobs",
          "webhooks",
          "status",
          "healthcheck",
          "reload",
          "drain",
          "mock",
          "bench");

  /** Subcommands that run for long; the launcher starts all others with flags for a brief run. */
  static final List<String> LONG_RUNNING = List.of("serve", "bench", "mock");

  @Spec private CommandSpec spec;

  /** Runs the command and exits with its code: 0 ok, 1 failed, 2 usage, 3 threshold missed. */
  public static void main(String[] args) {
    setDefaults(System.getProperties());
    System.exit(commandLine(args).execute(args));
  }

  /**
   * Sets system properties of libraries that are not loaded yet; values set by the operator stay.
   * Netty's leak detection takes a stack trace of each 128th buffer, some 2 % of a request's CPU,
   * so only tests enable it.
   */
  static void setDefaults(Properties properties) {
    properties.putIfAbsent("io.netty.leakDetection.level", "disabled");
  }

  /**
   * Returns the command line with only the command that the first words name, or with all:
   * reflection on a command takes longer than most of them run.
   */
  static CommandLine commandLine(String... words) {
    CommandSpec program = CommandSpec.create().name("tollgate");
    CommandLine line =
        words.length > 0 && addNamed(program, words, 0, command(words[0]))
            ? new CommandLine(program)
            : all();
    return line.setParameterExceptionHandler(new UsageErrors());
  }

  private static CommandLine all() {
    var line = new CommandLine(new Main());
    for (String name : COMMANDS) {
      line.addSubcommand(Objects.requireNonNull(command(name)));
    }
    return line;
  }

  /** Returns the class of a subcommand, without loading the others. */
  private static @Nullable Class<?> command(String name) {
    return switch (name) {
      case "check" -> CheckCommand.class;
      case "schema" -> SchemaCommand.class;
      case "openapi" -> OpenApiCommand.class;
      case "serve" -> ServeCommand.class;
      case "migrate" -> MigrateCommand.class;
      case "store" -> StoreCommand.class;
      case "orgs" -> OrgsCommand.class;
      case "users" -> UsersCommand.class;
      case "members" -> MembersCommand.class;
      case "credits" -> CreditsCommand.class;
      case "ledger" -> LedgerCommand.class;
      case "keys" -> KeysCommand.class;
      case "audit" -> AuditCommand.class;
      case "requests" -> RequestsCommand.class;
      case "usage" -> UsageCommand.class;
      case "jobs" -> JobsCommand.class;
      case "webhooks" -> WebhooksCommand.class;
      case "status" -> StatusCommand.class;
      case "healthcheck" -> HealthcheckCommand.class;
      case "reload" -> ReloadCommand.class;
      case "drain" -> DrainCommand.class;
      case "mock" -> MockCommand.class;
      case "bench" -> BenchCommand.class;
      default -> null;
    };
  }

  /** Adds the command named by a word and, if it groups others, by the words behind it. */
  private static boolean addNamed(
      CommandSpec outer, String[] words, int at, @Nullable Class<?> command) {
    if (command == null) {
      return false;
    }
    Class<?>[] inner = annotation(command).subcommands();
    if (inner.length == 0) {
      outer.addSubcommand(words[at], new CommandLine(command));
      return true;
    }
    CommandSpec group = CommandSpec.create().name(words[at]);
    outer.addSubcommand(words[at], group);
    int next = at + 1;
    return next < words.length && addNamed(group, words, next, named(inner, words[next]));
  }

  private static Command annotation(Class<?> command) {
    return Objects.requireNonNull(command.getAnnotation(Command.class));
  }

  private static @Nullable Class<?> named(Class<?>[] commands, String name) {
    for (Class<?> command : commands) {
      if (annotation(command).name().equals(name)) {
        return command;
      }
    }
    return null;
  }

  @Override
  public void run() {
    throw CommandGroup.missing(spec);
  }
}
