package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.cli.Verbs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The command line with the launcher's flags, from the jars of the build. */
final class LauncherProcess {
  private static final String MAIN = "dev.tollgate.server.cli.Main";

  /** The launcher's flags; those of a test follow and take precedence. */
  private static final List<String> FLAGS =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "-XX:+UseCompactObjectHeaders",
          "-XX:+ExitOnOutOfMemoryError",
          "-Xmx512m");

  /**
   * Most test nodes run for seconds: the second compiler would take half of their CPU, and G1's
   * threads a fifth of a start's. The soak profile uses the launcher's flags only.
   */
  private static final List<String> SHORT_LIVED =
      Boolean.parseBoolean(System.getProperty("tollgate.nodes.short.lived", "true"))
          ? List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
          : List.of();

  private static final Duration COMMAND = Duration.ofMinutes(1);

  private LauncherProcess() {}

  /** Output and exit code of a command. */
  record CommandResult(int exitCode, String out, String err) {}

  static ProcessBuilder process(List<String> jvmFlags, List<String> arguments) {
    List<String> flags = new ArrayList<>(ClassArchive.flags());
    flags.addAll(jvmFlags);
    return bare(flags, arguments);
  }

  /** Returns the command without the class-data archive. */
  static ProcessBuilder bare(List<String> jvmFlags, List<String> arguments) {
    Path lib = Path.of(System.getProperty("tollgate.root"), "proxy-server/target/tollgate/lib");
    assertThat(Files.isDirectory(lib)).as("%s, made by `mvn package`", lib).isTrue();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(SHORT_LIVED);
    command.addAll(jvmFlags);
    command.addAll(List.of("-cp", lib.resolve("*").toString(), MAIN));
    command.addAll(arguments);
    return new ProcessBuilder(command);
  }

  /** Runs a command to its end. */
  static CommandResult run(String... arguments) throws IOException, InterruptedException {
    return run(process(List.of(), List.of(arguments)));
  }

  /** Runs a command in a folder, with more environment variables, to its end. */
  static CommandResult runIn(Path folder, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder command = process(List.of(), List.of(arguments)).directory(folder.toFile());
    command.environment().putAll(environment);
    return run(command);
  }

  private static CommandResult run(ProcessBuilder command)
      throws IOException, InterruptedException {
    Process process = command.start();
    List<String> arguments = command.command();
    ProcessOutput out = ProcessOutput.of(process.getInputStream());
    ProcessOutput err = ProcessOutput.of(process.getErrorStream());
    if (!process.waitFor(COMMAND.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(arguments + " does not end");
    }
    return new CommandResult(process.exitValue(), out.whole(), err.whole());
  }

  /**
   * Runs a command on a folder's store within this JVM, which must succeed, and returns its JSON.
   */
  static String ask(NodeFolder folder, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("-o", "json", "--config", folder.config().toString()));
    Verbs.CommandResult result = Verbs.run(all.toArray(String[]::new));
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result.out();
  }
}
