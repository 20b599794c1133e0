package dev.tollgate.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.postgres.embedded.DataDirLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gateway as a process. */
final class ServeCommandIT {
  @Test
  void aStopDuringTheStartIsNoFailure(@TempDir Path folder) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("tollgate.yaml"),
            """
            version: 1
            listeners:
              api: { address: "127.0.0.1:0" }
              control: { address: null }
              admin: { address: "127.0.0.1:0" }
            store: { url: embedded, data_dir: ./data }
            """);
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "serve",
                "--config=" + file)
            .redirectErrorStream(true)
            .start();
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
