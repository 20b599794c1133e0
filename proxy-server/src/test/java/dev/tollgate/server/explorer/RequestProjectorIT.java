package dev.tollgate.server.explorer;

import static dev.tollgate.server.explorer.TestRequests.line;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.metrics.Metrics;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The view follows by itself, and waits while the node is overloaded or the store is gone. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class RequestProjectorIT {
  private static final long NOW = System.currentTimeMillis();

  private final Metrics metrics = new Metrics();
  private final Semaphore failures = new Semaphore(0);
  private final Semaphore pauses = new Semaphore(0);
  private TestRequests requests;
  private volatile boolean isOverloaded;
  private volatile boolean isGone;

  @BeforeEach
  void open() throws Exception {
    requests = TestRequests.open();
  }

  @AfterEach
  void close() {
    requests.close();
  }

  @Test
  void theViewFollowsByItself() throws Exception {
    try (var projector = start()) {
      requests.charged(RequestId.at(NOW), 7, line("v/m", "ok", 7));
      awaitRows(1);
      requests.charged(RequestId.at(NOW), 7, line("v/m", "ok", 7));
      awaitRows(2);
      assertThat(projector).isNotNull();
    }
    requests.charged(RequestId.at(NOW), 7, line("v/m", "ok", 7));
    assertThat(requests.ids()).as("it has ended").hasSize(2);
    String text = metrics.scrape(null).text();
    assertThat(text)
        .contains("tollgate_request_view_rows_total 2.0", "tollgate_request_view_mismatches 0.0");
    assertThat(text)
        .containsPattern("tollgate_request_view_lag_seconds [0-9.]+")
        .containsPattern("tollgate_request_view_batch_seconds_count [1-9]");
  }

  @Test
  void aNodeThatShedsLoadDoesNotFillTheView() throws Exception {
    isOverloaded = true;
    requests.charged(RequestId.at(NOW), 7, line("v/m", "ok", 7));
    try (var projector = start()) {
      pauses.acquire(2);
      assertThat(requests.ids()).isEmpty();
      isOverloaded = false;
      awaitRows(1);
      assertThat(projector).isNotNull();
    }
  }

  @Test
  void anOutageOfTheStoreEndsWithoutARestart() throws Exception {
    isGone = true;
    requests.charged(RequestId.at(NOW), 7, line("v/m", "ok", 7));
    try (var projector = start()) {
      failures.acquire(2);
      assertThat(metrics.scrape(null).text())
          .contains("tollgate_store_failing{component=\"request_view\"} 1.0");
      isGone = false;
      awaitRows(1);
      requests.testStore.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname ="
              + " current_database() AND application_name = 'tollgate-setup'");
      requests.charged(RequestId.at(NOW), 7, line("v/m", "ok", 7));
      awaitRows(2);
      assertThat(projector).isNotNull();
    }
    assertThat(metrics.scrape(null).text())
        .contains("tollgate_store_failing{component=\"request_view\"} 0.0");
  }

  private RequestProjector start() {
    return RequestProjector.start(this::connect, this::isOverloaded, metrics);
  }

  private boolean isOverloaded() {
    pauses.release();
    return isOverloaded;
  }

  private Connection connect() throws SQLException {
    if (isGone) {
      failures.release();
      throw new SQLNonTransientConnectionException("refused", "08001");
    }
    return requests.connect();
  }

  private void awaitRows(int count) throws SQLException {
    while (requests.ids().size() < count) {
      Thread.onSpinWait();
    }
  }
}
