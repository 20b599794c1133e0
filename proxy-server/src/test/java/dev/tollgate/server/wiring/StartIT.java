package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.tollgate.server.ops.Logback;
import dev.tollgate.server.postgres.embedded.DataDirLock;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts that find an obstacle. */
final class StartIT {
  @TempDir Path folder;

  @Test
  void aFailedStartDoesNotLoseTheFirstKey() throws Exception {
    int port;
    try (var taken = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
      port = taken.getLocalPort();
      assertThatThrownBy(() -> TestGateway.start(folder, configuration(port)))
          .isInstanceOf(StartException.class)
          .hasMessageContaining("listeners.api");
    }
    try (var gateway = TestGateway.start(folder, configuration(port))) {
      assertThat(gateway.greeting().bootstrapKey()).startsWith("sk-llm-");
      assertThat(gateway.chat("test/chat").status()).isEqualTo(200);
    }
  }

  @Test
  void theStartWaitsForACommandWithTheDataDirectory() throws Exception {
    var logger = Logback.logger(DataDirLock.class);
    var ends = new EndOfACommand(DataDirLock.acquire(folder.resolve("data")));
    ends.start();
    logger.addAppender(ends);
    try (var gateway = TestGateway.start(folder, configuration(0))) {
      assertThat(gateway.chat("test/chat").status()).isEqualTo(200);
    } finally {
      logger.detachAppender(ends);
      ends.lock.close();
    }
  }

  /** Releases the data directory as soon as a process waits for it. */
  private static final class EndOfACommand extends AppenderBase<ILoggingEvent> {
    private final DataDirLock lock;

    EndOfACommand(DataDirLock lock) {
      this.lock = lock;
    }

    @Override
    protected void append(ILoggingEvent event) {
      if (event.getFormattedMessage().contains("waiting")) {
        lock.close();
      }
    }
  }

  private static String configuration(int port) {
    return """
    version: 1
    listeners:
      api: { address: "127.0.0.1:%d" }
      admin: { address: "127.0.0.1:0" }
    server: { event_loops: 1, shutdown: { delay: 200ms, timeout: 2s } }
    store: { url: embedded, data_dir: ./data }
    providers:
      mock: { type: mock, ttft: 0ms, chunk_interval: 0ms, chunks: 4 }
    models:
      test/chat:
        modality: chat
        price: free
        routes: [ { provider: mock, model: chat } ]
    """
        .formatted(port);
  }
}
