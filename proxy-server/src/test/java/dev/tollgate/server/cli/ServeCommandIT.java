package dev.tollgate.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.postgres.ReadyCluster;
import dev.tollgate.server.postgres.embedded.DataDirLock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gateway as a process. */
final class ServeCommandIT {
  private static Process serve(Path folder, String controlAddress) throws IOException {
    return command(folder, "\"127.0.0.1:0\"", controlAddress).start();
  }

  private static ProcessBuilder command(Path folder, String apiAddress, String controlAddress)
      throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("tollgate.yaml"),
            """
            version: 1
            listeners:
              api: { address: %s }
              control: { address: %s }
              admin: { address: "127.0.0.1:0" }
            store: { url: embedded, data_dir: ./data }
            """
                .formatted(apiAddress, controlAddress));
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "serve",
            "--config=" + file)
        .redirectErrorStream(true);
  }

  /** Returns the output of a start that fails. */
  private static String failed(ProcessBuilder command) throws Exception {
    Process process = command.start();
    try (var output = process.inputReader(UTF_8)) {
      String text = output.readAllAsString();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(text).isOne();
      return text;
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void anAddressInUseIsToldBeforeADatabaseIsMade(@TempDir Path folder) throws Exception {
    try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String taken = "127.0.0.1:" + other.getLocalPort();
      assertThat(failed(command(folder, '"' + taken + '"', "null")))
          .contains("listeners.api: cannot listen on " + taken + ": Address already in use");
      assertThat(failed(command(folder, "\"127.0.0.1:0\"", '"' + taken + '"')))
          .contains("listeners.control: cannot listen on " + taken + ": Address already in use");
    }
    assertThat(folder.resolve("data")).doesNotExist();
  }

  /** As nohup does it: the JVM installs no handler of a signal that its parent ignores. */
  @Test
  void anIgnoredHangUpIsToldAtTheStart(@TempDir Path folder) throws Exception {
    try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var command = command(folder, "\"127.0.0.1:" + other.getLocalPort() + '"', "null");
      String warning = "SIGHUP is ignored";
      assertThat(failed(command)).doesNotContain(warning);
      List<String> ignoring = new ArrayList<>(List.of("sh", "-c", "trap '' HUP; exec \"$@\"", "-"));
      ignoring.addAll(command.command());
      assertThat(failed(command.command(ignoring)))
          .containsOnlyOnce(warning)
          .contains("tollgate reload");
    }
  }

  @Test
  void theLinkOfTheFirstSetUpIsPrintedOnceAfterReady(@TempDir Path folder) throws Exception {
    ReadyCluster.putInto(folder.resolve("data"));
    Process process = serve(folder, "\"127.0.0.1:0\"");
    try (var output = process.inputReader(UTF_8)) {
      List<String> lines = new ArrayList<>();
      String line = output.readLine();
      while (line != null) {
        lines.add(line);
        if (line.startsWith("dashboard ")) {
          process.toHandle().destroy();
        }
        line = output.readLine();
      }
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      List<String> links = lines.stream().filter(each -> each.contains("/setup#")).toList();
      assertThat(links).as(String.join("\n", lines)).hasSize(1);
      assertThat(links.getFirst())
          .matches("dashboard {2}http://127\\.0\\.0\\.1:\\d+/setup#[A-Za-z0-9_-]{43}");
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void aStopDuringTheStartIsNoFailure(@TempDir Path folder) throws Exception {
    Process process = serve(folder, "null");
    // The start waits for the data directory until it is stopped.
    try (var lock = DataDirLock.acquire(folder.resolve("data"));
        var log = process.inputReader(UTF_8)) {
      assertThat(log.lines().filter(line -> line.contains("waiting")).findFirst())
          .as("waits for %s", lock.dataDir())
          .isPresent();
      process.toHandle().destroy();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
      assertThat(log.lines()).as("no error is logged").noneMatch(l -> l.contains("ERROR"));
    } finally {
      process.destroyForcibly();
    }
  }
}
