package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.cli.Verbs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The command line as the launcher runs it, from the jars that the build put together. */
final class LauncherProcess {
  private static final String MAIN = "dev.tollgate.server.cli.Main";

  /** The launcher's flags; a test's own come behind them and win. */
  private static final List<String> FLAGS =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "-XX:+UseCompactObjectHeaders",
          "-XX:+ExitOnOutOfMemoryError",
          "-Xmx512m");

  /**
   * Most nodes of tests live for seconds: the second compiler would take half of their CPU, and
   * G1's threads a fifth of a start's. The soak profile runs what the launcher does.
   */
  private static final List<String> SHORT_LIVED =
      Boolean.parseBoolean(System.getProperty("tollgate.nodes.short.lived", "true"))
          ? List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
          : List.of();

  private static final Duration COMMAND = Duration.ofMinutes(1);

  private LauncherProcess() {}

  /** What a command that ended has said. */
  record CommandResult(int exitCode, String out, String err) {}

  static ProcessBuilder process(List<String> jvmFlags, List<String> arguments) {
    List<String> flags = new ArrayList<>(ClassArchive.flags());
    flags.addAll(jvmFlags);
    return bare(flags, arguments);
  }

  /** The same without the archive of its classes. */
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
    Process process = process(List.of(), List.of(arguments)).start();
    ProcessOutput out = ProcessOutput.of(process.getInputStream());
    ProcessOutput err = ProcessOutput.of(process.getErrorStream());
    if (!process.waitFor(COMMAND.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(List.of(arguments) + " does not end");
    }
    return new CommandResult(process.exitValue(), out.whole(), err.whole());
  }

  /** Asks a folder's store for JSON, in vain never, within this JVM. */
  static String ask(NodeFolder folder, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("-o", "json", "--config", folder.config().toString()));
    Verbs.CommandResult said = Verbs.run(all.toArray(String[]::new));
    assertThat(said.exitCode()).as(said.err()).isZero();
    return said.out();
  }
}
