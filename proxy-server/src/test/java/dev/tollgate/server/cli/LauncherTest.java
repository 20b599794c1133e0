package dev.tollgate.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher in a checkout of its own, with a fake JDK and a fake Maven that record their calls.
 */
class LauncherTest {
  private static final Path LAUNCHER =
      Path.of(System.getProperty("tollgate.root", "..")).resolve("tollgate");

  private static final String BUILDING =
      "building (some minutes the first time, which fetches libraries; seconds later) ...";

  @TempDir Path folder;
  private Path checkout = Path.of("");
  private Path jdk = Path.of("");
  private Path maven = Path.of("");

  /** Exit code and output of a run of the launcher. */
  private record Ran(int code, String output) {}

  @BeforeEach
  void makeCheckout() throws IOException {
    checkout = Files.createDirectories(folder.toRealPath().resolve("checkout"));
    executable(checkout.resolve("tollgate"), Files.readString(LAUNCHER));
    Files.createDirectories(checkout.resolve("proxy-server/src/main"));
    Files.writeString(checkout.resolve("pom.xml"), "<project/>");
    jdk = folder.resolve("jdk");
    executable(jdk.resolve("bin/java"), "#!/bin/sh\necho runs\n");
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    maven =
        executable(
            folder.resolve("bin/mvn"),
            """
            #!/bin/sh
            echo built >>"$0.log"
            if [ -p "$0.goes-on" ]; then
              echo '[INFO] Building Tollgate core 0.1.0-SNAPSHOT                          [2/5]'
              read _ <"$0.goes-on"
            fi
            mkdir -p '%1$s/proxy-server/target/tollgate/lib'
            echo >'%1$s/proxy-server/target/tollgate/lib/proxy-server-1.jar'
            [ ! -e "$0.breaks" ] || echo '[ERROR] broken'
            [ ! -e "$0.breaks" ]
            """
                .formatted(checkout));
  }

  @Test
  void aCompletedBuildIsNotRepeated() throws Exception {
    Ran first = run();
    assertThat(first.code()).isZero();
    assertThat(first.output())
        .matches("tollgate: \\Q" + BUILDING + "\\E\ntollgate: built in \\d+ s\nruns\n");
    assertThat(run()).isEqualTo(new Ran(0, "runs\n"));
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void aFailedBuildIsRepeated() throws Exception {
    Path breaks = Files.createFile(Path.of(maven + ".breaks"));
    Ran failed = run();
    assertThat(failed.code()).isEqualTo(1);
    assertThat(failed.output())
        .contains("\n[ERROR] broken\ntollgate: the build failed; all that Maven said is in ")
        .endsWith("/target/tollgate-build.log\n");
    Files.delete(breaks);

    assertThat(run().output()).endsWith("runs\n");
    assertThat(builds()).isEqualTo(2);
  }

  @Test
  void aLongBuildSaysWhereItIs() throws Exception {
    Path goesOn = Path.of(maven + ".goes-on");
    assertThat(new ProcessBuilder("mkfifo", goesOn.toString()).start().waitFor()).isZero();
    Process process = launch(Map.of("HOME", folder + "", "TOLLGATE_JAVA", jdk + ""));
    try (BufferedReader output = process.inputReader(UTF_8)) {
      assertThat(output.readLine()).isEqualTo("tollgate: " + BUILDING);
      assertThat(output.readLine())
          .matches("tollgate: building: module 2 of 5, Tollgate core \\(\\d+ s\\) \\.\\.\\.");
      Files.writeString(goesOn, "\n");
      assertThat(output.readLine()).matches("tollgate: built in \\d+ s");
      assertThat(output.lines().toList()).containsExactly("runs");
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void anUnwritableCheckoutIsReported() throws Exception {
    Files.createFile(checkout.resolve("target"));

    Ran ran = run();

    assertThat(ran.code()).isEqualTo(1);
    assertThat(ran.output()).contains("tollgate: cannot build here");
  }

  @Test
  void theLockOfADeadLauncherIsIgnored() throws Exception {
    Files.createDirectories(checkout.resolve("target/tollgate-build.lock"));
    assertThat(run().output()).endsWith("runs\n");

    Files.delete(checkout.resolve("proxy-server/target/tollgate/lib/proxy-server-1.jar"));
    Files.createSymbolicLink(checkout.resolve("target/tollgate-build.owner"), Path.of("999999999"));
    assertThat(run().output()).endsWith("runs\n");
    assertThat(builds()).isEqualTo(2);
  }

  @Test
  void waitingForAnotherBuildIsReported() throws Exception {
    Files.createDirectory(checkout.resolve("target"));
    Path lock = checkout.resolve("target/tollgate-build.owner");
    long us = ProcessHandle.current().pid();
    Files.createSymbolicLink(lock, Path.of("" + us));
    Process process = launch(Map.of("HOME", folder + "", "TOLLGATE_JAVA", jdk + ""));
    try (BufferedReader output = process.inputReader(UTF_8)) {
      assertThat(output.readLine())
          .isEqualTo("tollgate: waiting for another build (process " + us + ") ...");
      Files.delete(lock);
      assertThat(output.lines().toList()).endsWith("runs");
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void allThatRunsForLongIsStartedWithoutFlagsForABriefRun() throws Exception {
    assertThat(run().code()).isZero();
    executable(jdk.resolve("bin/java"), "#!/bin/sh\necho \"$@\"\n");

    for (String verb : Main.COMMANDS) {
      String flags = run(Map.of("TOLLGATE_JAVA", jdk + ""), verb).output();
      assertThat(flags.contains("-XX:TieredStopAtLevel=1") && flags.contains("UseSerialGC"))
          .as(verb)
          .isEqualTo(!Main.LONG_RUNNING.contains(verb));
    }
  }

  @Test
  void theCollectorOfTheOperatorIsTheOnlyOne() throws Exception {
    assertThat(run().code()).isZero();
    executable(jdk.resolve("bin/java"), "#!/bin/sh\necho \"$@\"\n");

    String flags =
        run(Map.of("TOLLGATE_JAVA", jdk + "", "TOLLGATE_JAVA_OPTS", "-XX:+UseZGC"), "orgs")
            .output();

    assertThat(flags).contains("-XX:TieredStopAtLevel=1", "UseZGC").doesNotContain("UseSerialGC");
  }

  @Test
  void withoutHomeAJdkIsFound() throws Exception {
    assertThat(run(Map.of("JAVA_HOME", jdk + "")).output()).endsWith("runs\n");
  }

  private Ran run() throws Exception {
    return run(Map.of("HOME", folder + "", "TOLLGATE_JAVA", jdk + ""));
  }

  private Ran run(Map<String, String> environment, String... arguments) throws Exception {
    Process process = launch(environment, arguments);
    try {
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("ends").isTrue();
      return new Ran(
          process.exitValue(), new String(process.getInputStream().readAllBytes(), UTF_8));
    } finally {
      process.destroyForcibly();
    }
  }

  private Process launch(Map<String, String> environment, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(checkout.resolve("tollgate").toString()));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().put("PATH", maven.getParent() + ":/usr/bin:/bin");
    builder.environment().putAll(environment);
    return builder.redirectErrorStream(true).start();
  }

  private int builds() throws IOException {
    return Files.readAllLines(Path.of(maven + ".log")).size();
  }

  private static Path executable(Path file, String text) throws IOException {
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    Files.writeString(file, text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }
}
