package dev.tollgate.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.postgres.ReadyCluster;
import dev.tollgate.server.postgres.embedded.DataDirLock;
import java.io.IOException;
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
    Path file =
        Files.writeString(
            folder.resolve("tollgate.yaml"),
            """
            version: 1
            listeners:
              api: { address: "127.0.0.1:0" }
              control: { address: %s }
              admin: { address: "127.0.0.1:0" }
            store: { url: embedded, data_dir: ./data }
            """
                .formatted(controlAddress));
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "serve",
            "--config=" + file)
        .redirectErrorStream(true)
        .start();
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
