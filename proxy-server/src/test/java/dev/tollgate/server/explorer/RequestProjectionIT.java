package dev.tollgate.server.explorer;

import static dev.tollgate.server.explorer.TestRequests.line;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.server.explorer.RequestProjection.Rules;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The request view has each request and each charge once, in whatever order they are written. */
@Execution(ExecutionMode.CONCURRENT)
class RequestProjectionIT {
  private static final long NOW = System.currentTimeMillis();

  private TestRequests requests;

  @BeforeEach
  void open() throws Exception {
    requests = TestRequests.open();
  }

  @AfterEach
  void close() {
    requests.close();
  }

  @Test
  void aLineBecomesARowWithItsSums() throws Exception {
    RequestId id = RequestId.at(NOW);
    requests.charged(id, 7, line("v/m", "ok", 7));
    assertThat(requests.project()).isEqualTo(1);

    RequestRow row = row(id);
    assertThat(row.at()).isEqualTo(Instant.ofEpochMilli(NOW));
    assertThat(row.key()).isEqualTo(requests.key);
    assertThat(row.endpoint()).isEqualTo("/v1/chat/completions");
    assertThat(row.model()).isEqualTo("v/m");
    assertThat(row.flags()).isEqualTo(new RequestRow.Flags(true, false, true, false, false));
    assertThat(row.timing()).isEqualTo(new RequestRow.Timing(1_200, 200, 250, 1_100));
    assertThat(row.tokens()).isEqualTo(new RequestRow.Tokens(8, 4, 2, 1));
    assertThat(row.attempts()).isEqualTo(2);
    assertThat(row.costMicro()).isEqualTo(7);
    assertThat(row.operatorCostMicro()).isEqualTo(7);
    assertThat(row.outputTokensPerSecond()).isEqualTo(4.0);
    for (String table : List.of("usage_slot", "usage_hour")) {
      assertThat(
              requests.testStore.execute(
                  "SELECT concat_ws(' ', model, provider, outcome, requests, prompt_tokens,"
                      + " cost_micro, total_hist[21], ttft_hist[16], overhead_hist[10]) FROM "
                      + table))
          .containsExactly("v/m a ok 1 8 7 1 1 1");
    }
    assertThat(requests.testStore.execute("SELECT key_id FROM key_last_used"))
        .containsExactly(requests.key.value());
  }

  @Test
  void theCostOfTheOperatorIsTheRecordedOne() throws Exception {
    RequestId id = RequestId.at(NOW);
    String line =
        line("v/m", "ok", 7).replace("}],\"phases", "}],\"operator_cost_micro\":9,\"phases");
    requests.charged(id, 7, line);
    requests.project();
    assertThat(row(id).costMicro()).isEqualTo(7);
    assertThat(row(id).operatorCostMicro()).isEqualTo(9);
    assertThat(requests.number("SELECT operator_cost_micro FROM usage_hour")).isEqualTo(9);
  }

  @Test
  void nothingIsTakenOverTwice() throws Exception {
    requests.charged(RequestId.at(NOW), 7, line("v/m", "ok", 7));
    requests.project();
    requests.testStore.execute("UPDATE request_view_mark SET upto = upto - interval '1 hour'");
    assertThat(requests.project()).isZero();
    assertThat(requests.number("SELECT sum(requests) FROM usage_hour")).isEqualTo(1);
    assertThat(requests.number("SELECT sum(cost_micro) FROM usage_slot")).isEqualTo(7);
  }

  @Test
  void aTransactionThatEndsLateIsNotMissed() throws Exception {
    RequestId early = RequestId.at(NOW);
    RequestId late = RequestId.at(NOW + 1);
    try (Connection slow = requests.testStore.store().pool().getConnection()) {
      slow.setAutoCommit(false);
      requests.log(slow, early, line("v/m", "rejected", 0));
      requests.logged(late, line("v/m", "rejected", 0));
      requests.project();
      assertThat(requests.ids()).as("the later row waits behind the open transaction").isEmpty();
      slow.commit();
      slow.setAutoCommit(true);
    }
    requests.project();
    assertThat(requests.ids()).containsExactly(early.value(), late.value());
  }

  @Test
  void aTransactionThatIsTooOldIsNotAwaited() throws Exception {
    RequestId later = RequestId.at(NOW);
    try (Connection idle = requests.testStore.store().pool().getConnection()) {
      idle.setAutoCommit(false);
      idle.createStatement().execute("SELECT 1");
      requests.logged(later, line("v/m", "rejected", 0));
      requests.project();
      assertThat(requests.ids()).isEmpty();
      requests.project(new RequestProjection(new Rules(Duration.ZERO, Duration.ZERO)));
      assertThat(requests.ids()).containsExactly(later.value());
      idle.rollback();
      idle.setAutoCommit(true);
    }
  }

  @Test
  void aJobsChargeComesLaterThanItsLine() throws Exception {
    RequestId job = RequestId.at(NOW);
    requests.logged(job, line("v/video", "ok", 0));
    requests.project();
    assertThat(row(job).costMicro()).isZero();
    requests.jobEnded(job, 500);
    requests.project();
    assertThat(row(job).costMicro()).isEqualTo(500);
    assertThat(row(job).operatorCostMicro()).isEqualTo(500);
    assertThat(requests.number("SELECT cost_micro FROM usage_hour")).isEqualTo(500);
    assertThat(requests.number("SELECT requests FROM usage_hour")).isEqualTo(1);
    assertThat(requests.number("SELECT count(*) FROM request_view_late")).isZero();
  }

  @Test
  void whatAJobCostTheOperatorStandsBesideItsLine() throws Exception {
    RequestId early = RequestId.at(NOW);
    RequestId free = RequestId.at(NOW + 1);
    requests.logged(early, line("v/video", "ok", 0));
    requests.project();
    requests.logged(free, line("v/video", "ok", 0));
    requests.jobEnded(early, 500, 300);
    requests.jobEnded(free, 500, 0);
    requests.project();
    assertThat(row(early).operatorCostMicro()).isEqualTo(300);
    assertThat(row(free).operatorCostMicro()).isZero();
    assertThat(requests.number("SELECT sum(cost_micro) FROM usage_hour")).isEqualTo(1_000);
    assertThat(requests.number("SELECT sum(operator_cost_micro) FROM usage_hour")).isEqualTo(300);
  }

  @Test
  void lateChargesOfADayThatIsMadeLaterAreSeenToo() throws Exception {
    RequestId job = RequestId.at(NOW + Duration.ofDays(30).toMillis());
    requests.testStore.execute("SELECT ledger_partition(?)", Window.at(job.epochMillis()).day());
    requests.logged(job, line("v/video", "ok", 0));
    requests.project();
    requests.jobEnded(job, 500);
    requests.project();
    assertThat(row(job).costMicro()).isEqualTo(500);
  }

  @Test
  void aJobsChargeThatComesFirstAwaitsItsLine() throws Exception {
    RequestId job = RequestId.at(NOW);
    requests.jobEnded(job, 500);
    requests.project();
    assertThat(requests.ids()).isEmpty();
    requests.logged(job, line("v/video", "ok", 0));
    requests.project();
    assertThat(row(job).costMicro()).isEqualTo(500);
    assertThat(row(job).model()).isEqualTo("v/video");
  }

  @Test
  void aJobsChargeWithoutALineIsShownAfterAWhile() throws Exception {
    RequestId job = RequestId.at(NOW);
    requests.jobEnded(job, 500);
    requests.testStore.execute("UPDATE request_view_late SET at = at - interval '2 minutes'");
    requests.project();
    assertThat(row(job).costMicro()).isEqualTo(500);
    assertThat(row(job).outcome()).isEqualTo(OutcomeClass.UNKNOWN);
  }

  @Test
  void aCrashIsARowOfItsOwn() throws Exception {
    RequestId id = RequestId.at(NOW);
    requests.crashed(id, 3);
    requests.project();
    assertThat(row(id).outcome()).isEqualTo(OutcomeClass.CRASH);
    assertThat(row(id).tokens().prompt()).isEqualTo(8);
    assertThat(requests.number("SELECT cost_micro FROM usage_hour WHERE outcome = 'crash'"))
        .isEqualTo(3);
  }

  @Test
  void aLineThatSaysLittleIsARowAllTheSame() throws Exception {
    RequestId empty = RequestId.at(NOW);
    RequestId broken = RequestId.at(NOW);
    RequestId odd = RequestId.at(NOW);
    requests.logged(empty, "{}");
    requests.logged(broken, "{\"model\": ");
    requests.logged(
        odd, "{\"status\":99999,\"attempts\":{},\"phases\":3,\"total_ms\":1e300,\"x\":[{}]}");
    assertThat(requests.project()).isEqualTo(3);
    assertThat(row(empty).outcome()).isEqualTo(OutcomeClass.UNKNOWN);
    assertThat(row(odd).timing().totalMs()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void aLongBacklogIsTakenOverInPortions() throws Exception {
    int rows = RequestProjection.ROWS_MAX + 5_000;
    requests.testStore.execute(
        "INSERT INTO request_log (day, request_id, org_id, key_id, row, at)"
            + " SELECT (now() AT TIME ZONE 'UTC')::date, 'x' || i, ?, ?, '{\"outcome\":\"ok\"}',"
            + " now() - i * interval '2 ms' FROM generate_series(1, ?) i",
        requests.org.value(),
        requests.key.value(),
        rows);
    try (Connection connection = requests.connect()) {
      var projection = new RequestProjection(TestRequests.RULES);
      int taken = 0;
      var step = projection.step(connection);
      while (step.hasMore()) {
        assertThat(step.rows()).isLessThanOrEqualTo(RequestProjection.ROWS_MAX);
        taken += step.rows();
        step = projection.step(connection);
      }
      assertThat(taken + step.rows()).isEqualTo(rows);
      assertThat(step.behind()).isLessThan(Duration.ofMinutes(1));
    }
    assertThat(requests.number("SELECT sum(requests) FROM usage_hour")).isEqualTo(rows);
  }

  @Test
  void oneNodeAtATimeHasTheLock() throws Exception {
    requests.logged(RequestId.at(NOW), line("v/m", "rejected", 0));
    try (Connection other = requests.connect()) {
      other.setAutoCommit(false);
      assertThat(ViewLock.tryAcquire(other)).isTrue();
      assertThat(requests.project()).isZero();
      other.rollback();
    }
    assertThat(requests.project()).isEqualTo(1);
  }

  @Test
  void theViewOfADayIsDroppedWithItsLog() throws Exception {
    requests.charged(RequestId.at(NOW), 7, line("v/m", "ok", 7));
    requests.project();
    requests.testStore.setClock(NOW + Duration.ofDays(2).toMillis());
    var partitions = requests.testStore.store().ledgerPartitions();
    assertThat(partitions.dropRequestsAbove(1)).isPresent();
    assertThat(requests.ids()).isEmpty();
    assertThat(requests.number("SELECT cost_micro FROM usage_hour")).isEqualTo(7);
    requests.testStore.setClock(NOW + Duration.ofDays(9).toMillis());
    partitions.tidy();
    assertThat(requests.number("SELECT count(*) FROM usage_slot")).isZero();
    assertThat(requests.number("SELECT count(*) FROM usage_hour")).isEqualTo(1);
  }

  private RequestRow row(RequestId id) throws SQLException {
    try (Connection connection = requests.connect();
        var select =
            connection.prepareStatement(
                "SELECT "
                    + RequestViewRows.COLUMNS
                    + " FROM request_view v WHERE request_id = ?")) {
      select.setString(1, id.value());
      try (var row = select.executeQuery()) {
        assertThat(row.next()).isTrue();
        return RequestViewRows.read(row);
      }
    }
  }
}
