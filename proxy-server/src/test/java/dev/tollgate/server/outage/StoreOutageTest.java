package dev.tollgate.server.outage;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.server.ops.Logback;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one component logs of an outage of the store: its beginning and its end. */
class StoreOutageTest {
  private final Logger logger = Logback.logger(StoreOutageTest.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final StoreOutage outage = new StoreOutage(logger, "jobs");

  @BeforeEach
  void listen() {
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
  }

  @AfterEach
  void end() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }

  @Test
  void eachChangeOfTheStateIsOneLine() {
    outage.succeeded(System.nanoTime());
    for (int n = 0; n < 100; n++) {
      assertThat(outage.isCauseOf(new SQLException("gone", "08006"))).isTrue();
      outage.begin("still gone");
    }
    assertThat(outage.gauge()).isEqualTo(1);
    outage.succeeded(System.nanoTime());
    outage.succeeded(System.nanoTime());
    assertThat(outage.gauge()).isZero();
    outage.begin("gone again");

    assertThat(lines.list)
        .extracting(line -> line.getLevel() + " " + line.getFormattedMessage())
        .containsExactly(
            "WARN jobs wait for the store: gone",
            "INFO jobs wait no longer, the store answers again",
            "WARN jobs wait for the store: gone again");
  }

  @Test
  void aCallThatBeganBeforeTheLastFailureDoesNotEndIt() {
    long begun = System.nanoTime();
    outage.begin("gone");

    outage.succeeded(begun);

    assertThat(outage.lasts()).isTrue();
    assertThat(lines.list).hasSize(1);
  }

  @Test
  void onlyAStoreThatIsNotReachedIsAnOutage() {
    var pool = new SQLTransientConnectionException("no connection within 2 s");
    var away =
        Stream.of(
            pool,
            new SQLException("terminating connection", "57P01"),
            new LedgerStoreException(LedgerStoreException.Kind.UNREACHABLE, "gone", pool),
            new IllegalStateException(new SQLException("refused", "08001")));
    assertThat(away).allMatch(outage::isCauseOf);
    assertThat(lines.list).hasSize(1);

    List<Exception> others =
        List.of(
            new SQLException("deadlock detected", "40P01"),
            new SQLException("without a state"),
            new IllegalStateException("a fault of ours"));
    assertThat(others).noneMatch(outage::isCauseOf);
  }
}
