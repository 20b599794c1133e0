package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.tollgate.server.ops.Logback;
import dev.tollgate.server.postgres.OldStore;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.embedded.DataDirLock;
import dev.tollgate.server.postgres.session.StoreOptions;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts that find an obstacle. */
@Tag("chaos")
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

  @Test
  void aDataDirectoryOfBeforeTheFirstReleaseIsRefusedInOneSentence() throws Exception {
    OldStore.putInto(folder.resolve("data"));
    assertThatThrownBy(() -> TestGateway.start(folder, configuration(0)))
        .isInstanceOf(StartException.class)
        .hasMessage(
            "store: the store was made by a version of Tollgate before the first release, which"
                + " this version cannot use; start with an empty database or another"
                + " store.data_dir");
  }

  @Test
  void aGatewayIsUnreadyWhileTheStoreNeedsALaterVersion() throws Exception {
    try (var gateway = TestGateway.start(folder, configuration(0));
        Store store = Store.forCommand(StoreOptions.embedded(folder.resolve("data")))) {
      assertThat(gateway.adminGet("/readyz").status()).isEqualTo(200);
      raiseFloor(store, 1_000);
      awaitReadiness(gateway, 503);
      assertThat(gateway.adminGet("/readyz").text())
          .contains("needs a Tollgate that knows schema version");
      raiseFloor(store, -1_000);
      awaitReadiness(gateway, 200);
    }
  }

  private static void raiseFloor(Store store, int by) throws SQLException {
    try (var connection = store.pool().getConnection();
        var statement = connection.createStatement()) {
      statement.execute("UPDATE schema_floor SET min_migration = min_migration + " + by);
    }
  }

  private static void awaitReadiness(TestGateway gateway, int status) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (gateway.adminGet("/readyz").status() != status) {
      assertThat(System.nanoTime()).as("%d in time", status).isLessThan(deadline);
    }
  }

  /** Gives the directory up as soon as somebody waits for it. */
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
    return ("""
    version: 1
    listeners:
      api: { address: "127.0.0.1:%d" }
      control: { address: null }
      admin: { address: "127.0.0.1:0" }
    server: { event_loops: 1, shutdown: { delay: 200ms, timeout: 2s } }
    store: { url: embedded, data_dir: ./data }
    """
            + TestGateway.CHAT_MODEL)
        .formatted(port);
  }
}
