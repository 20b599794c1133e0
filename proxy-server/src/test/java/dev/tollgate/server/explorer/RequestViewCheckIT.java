package dev.tollgate.server.explorer;

import static dev.tollgate.server.explorer.TestRequests.line;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Window;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Sums of the view that differ from the charges are found, and made anew. */
@Execution(ExecutionMode.CONCURRENT)
class RequestViewCheckIT {
  private static final long HOUR = Duration.ofHours(1).toMillis();

  /** In the hour that ended before the last one, so that all nodes would check it. */
  private static final long THEN = (System.currentTimeMillis() / HOUR - 2) * HOUR + HOUR / 2;

  private static final String SUMS =
      "SELECT concat_ws(' ', slot, org_id, key_id, model, provider, endpoint, outcome, code,"
          + " requests, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens,"
          + " cost_micro, operator_cost_micro, total_hist, ttft_hist, overhead_hist)"
          + " FROM usage_slot UNION ALL"
          + " SELECT concat_ws(' ', slot, org_id, key_id, model, provider, endpoint, outcome, code,"
          + " requests, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens,"
          + " cost_micro, operator_cost_micro, total_hist, ttft_hist, overhead_hist)"
          + " FROM usage_hour ORDER BY 1";
  private static final String ROWS = "SELECT v::text FROM request_view v ORDER BY day, request_id";

  private final RequestViewCheck check = new RequestViewCheck();
  private TestRequests requests;

  @BeforeEach
  void write() throws Exception {
    requests = TestRequests.open();
    requests.testStore.execute(
        "UPDATE request_view_mark SET hours_checked = ?",
        Instant.ofEpochMilli(THEN - HOUR / 2).atOffset(ZoneOffset.UTC));
    requests.charged(RequestId.at(THEN), 7, line("v/m", "ok", 7));
    requests.charged(RequestId.at(THEN + 1), 5, line("v/n", "client_abort", 5));
    requests.logged(RequestId.at(THEN + 2), line("v/m", "rejected", 0));
    requests.crashed(RequestId.at(THEN + 3), 3);
    RequestId job = RequestId.at(THEN + 4);
    requests.logged(job, line("v/video", "ok", 0));
    requests.jobEnded(job, 500, 300);
    requests.project();
  }

  @AfterEach
  void close() {
    requests.close();
  }

  @Test
  void anHourThatAgreesIsCheckedOnce() throws Exception {
    assertThat(checkAll()).isPositive();
    assertThat(check.mismatches()).isZero();
    assertThat(checkAll()).isZero();
  }

  @Test
  void anHourThatDiffersIsMadeAnew() throws Exception {
    List<String> right = contents();
    assertThat(right).as("the cost of a job to the operator").anyMatch(row -> row.contains("300"));
    requests.testStore.execute(
        "UPDATE usage_hour SET cost_micro = cost_micro + 1 WHERE model = 'v/m'");
    requests.testStore.execute("DELETE FROM request_view WHERE outcome = 'crash'");
    checkAll();
    assertThat(check.mismatches()).isEqualTo(1);
    assertThat(contents()).isEqualTo(right);
  }

  @Test
  void aChargeThatTheProjectionMissedIsFound() throws Exception {
    RequestId missed = RequestId.at(THEN + 5);
    requests.charged(missed, 11, "");
    requests.project();
    assertThat(requests.ids()).doesNotContain(missed.value());
    checkAll();
    assertThat(check.mismatches()).isEqualTo(1);
    assertThat(requests.ids()).contains(missed.value());
    assertThat(requests.number("SELECT sum(cost_micro) FROM usage_hour")).isEqualTo(526);
  }

  @Test
  void aChargeThatTheViewHasStillToTakeOverIsNoDifference() throws Exception {
    requests.jobEnded(RequestId.at(THEN + 6), 13);
    checkAll();
    assertThat(check.mismatches()).isZero();
  }

  @Test
  void aClosedDayIsComparedKeyByKey() throws Exception {
    LocalDate day = Window.at(THEN).day();
    requests.testStore.setClock(THEN + Duration.ofDays(2).toMillis());
    requests.testStore.execute("UPDATE request_view_mark SET days_checked = ?", day);
    requests.testStore.store().ledgerPartitions().close();
    List<String> right = contents();
    requests.testStore.execute(
        "UPDATE request_view_mark SET hours_checked = now() + interval '1 day'");
    checkAll();
    assertThat(check.mismatches()).isZero();

    requests.testStore.execute("UPDATE request_view_mark SET days_checked = ?", day);
    requests.testStore.execute("UPDATE usage_hour SET key_id = 'another1' WHERE model = 'v/m'");
    checkAll();
    assertThat(check.mismatches()).isEqualTo(1);
    assertThat(contents()).isEqualTo(right);
  }

  @Test
  void aRebuildMakesTheSameViewAndTheProjectionAddsNothing() throws Exception {
    List<String> right = contents();
    requests.testStore.execute("UPDATE usage_slot SET requests = 99, total_hist = '{}'");
    requests.testStore.execute("UPDATE request_view SET model = 'v/wrong'");
    List<LocalDate> days = new ArrayList<>();
    int[] rows = {0};
    new RequestViewRebuild(requests.testStore.store().maintenanceSessions())
        .from(
            Window.at(THEN).day(),
            (day, count) -> {
              days.add(day);
              rows[0] += count;
            });
    assertThat(days).contains(Window.at(THEN).day());
    assertThat(rows[0]).isEqualTo(5);
    assertThat(contents()).isEqualTo(right);
    requests.testStore.execute("UPDATE request_view_mark SET upto = upto - interval '1 day'");
    requests.project();
    assertThat(contents()).isEqualTo(right);
  }

  @Test
  void whatHasNoLogAnyMoreIsNotMadeAnew() throws Exception {
    requests.testStore.setClock(THEN + Duration.ofDays(2).toMillis());
    requests.testStore.store().ledgerPartitions().dropRequestsAbove(1);
    requests.testStore.execute(
        "UPDATE usage_hour SET cost_micro = cost_micro + 1 WHERE model = 'v/m'");
    List<String> kept = contents();
    checkAll();
    assertThat(check.mismatches()).isEqualTo(1);
    assertThat(contents()).isEqualTo(kept);
  }

  private List<String> contents() throws SQLException {
    List<String> all = new ArrayList<>(requests.testStore.execute(ROWS));
    all.addAll(requests.testStore.execute(SUMS));
    return all;
  }

  /** Runs all checks that are due; returns how often there were some. */
  private int checkAll() throws SQLException {
    int checks = 0;
    try (Connection connection = requests.connect()) {
      while (check.checkNext(connection)) {
        checks++;
      }
    }
    return checks;
  }
}
