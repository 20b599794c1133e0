package dev.tollgate.server.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
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
    versionProvider = Version.class)
public final class Main implements Runnable {
  /** The verbs in the order of the help. */
  static final Map<String, Class<?>> VERBS = new LinkedHashMap<>();

  static {
    VERBS.put("check", Check.class);
    VERBS.put("schema", Schema.class);
    VERBS.put("openapi", OpenApi.class);
    VERBS.put("serve", Serve.class);
    VERBS.put("migrate", Migrate.class);
    VERBS.put("store", Backup.class);
    VERBS.put("orgs", Orgs.class);
    VERBS.put("credits", Credits.class);
    VERBS.put("ledger", Ledger.class);
    VERBS.put("keys", Keys.class);
    VERBS.put("requests", Requests.class);
    VERBS.put("usage", Usage.class);
    VERBS.put("jobs", Jobs.class);
    VERBS.put("webhooks", Webhooks.class);
    VERBS.put("status", Status.class);
    VERBS.put("healthcheck", Healthcheck.class);
    VERBS.put("reload", Reload.class);
    VERBS.put("drain", Drain.class);
    VERBS.put("mock", Mock.class);
    VERBS.put("bench", Bench.class);
  }

  @Spec private CommandSpec spec;

  /** Runs the command and exits with its code: 0 ok, 1 failed, 2 usage, 3 threshold missed. */
  public static void main(String[] args) {
    setDefaults(System.getProperties());
    Class<?> verb = args.length == 0 ? null : VERBS.get(args[0]);
    System.exit(commandLine(verb).execute(args));
  }

  /**
   * Of libraries that are not loaded yet; what the operator set stays. Netty's search for leaks
   * takes a stack trace of each 128th buffer, some 2 % of a request's CPU: tests ask for it.
   */
  static void setDefaults(Properties properties) {
    properties.putIfAbsent("io.netty.leakDetection.level", "disabled");
  }

  static CommandLine commandLine() {
    return commandLine(null);
  }

  /**
   * The command line with one verb, or with all of them: a verb that is not typed is not looked
   * into, because that takes longer than most verbs run.
   */
  static CommandLine commandLine(@Nullable Class<?> only) {
    var line = new CommandLine(new Main());
    (only == null ? VERBS.values() : List.of(only)).forEach(line::addSubcommand);
    return line;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing subcommand");
  }
}
