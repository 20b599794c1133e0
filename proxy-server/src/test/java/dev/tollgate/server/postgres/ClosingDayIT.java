package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import dev.tollgate.server.postgres.session.Migrations;
import dev.tollgate.server.postgres.session.StoreOptions;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A day that is closed while late charges of it are settled counts each of them once. */
final class ClosingDayIT {
  private final LocalDate today = Window.at(System.currentTimeMillis()).day();
  private final LocalDate yesterday = today.minusDays(1);
  private TestLedgerStore ledgerStore;
  private DataSource source;
  private OrgId org;
  private KeyId key;

  @BeforeEach
  void open() throws Exception {
    StoreOptions options = SharedPostgres.newDatabase();
    ledgerStore = TestLedgerStore.of(SharedPostgres.open(options));
    source =
        Migrations.plain(
            new DatabaseAddress(options.url(), options.username(), options.password()));
    org = ledgerStore.newOrg();
    key = ledgerStore.newKey(org);
  }

  @AfterEach
  void close() {
    ledgerStore.store().close();
  }

  @Test
  void lateChargesWaitForItAndThoseOfTodayDoNot() throws Exception {
    OrgId others = ledgerStore.newOrg();
    KeyId other = ledgerStore.newKey(others);
    settle(yesterday, org, key);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> before;
      Future<?> closed;
      Future<?> after;
      try (var connection = source.getConnection();
          var statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute("SELECT 1 FROM scope_account FOR UPDATE");
        before = threads.submit(() -> settle(yesterday, org, key));
        awaitWaiting(1, before);
        closed = threads.submit(() -> close(yesterday));
        awaitWaiting(2, closed);
        after = threads.submit(() -> settle(yesterday, org, key));
        awaitWaiting(3, after);
        settle(today, others, other);
        connection.rollback();
      }
      before.get();
      assertThat(closed.get()).isEqualTo(List.of("t"));
      after.get();
    }
    assertThat(sums(yesterday)).hasSize(4).containsOnly("3 3 6 9 12");
    assertThat(ledgerStore.store().ledgerAudit().runFull()).isEmpty();
  }

  private void awaitWaiting(int count, Future<?> last) throws Exception {
    String waiting =
        "SELECT count(*) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while (Integer.parseInt(execute(waiting).getFirst()) < count) {
      assertThat(last).isNotDone();
    }
  }

  private List<String> close(LocalDate day) throws SQLException {
    return execute("SELECT ledger_close_day(?::date)", day.toString());
  }

  /** Settles a charge with four kinds of tokens, 1 to 4 of them. */
  private List<String> settle(LocalDate day, OrgId payer, KeyId its) throws SQLException {
    long noon = Instant.parse(day + "T12:00:00Z").toEpochMilli();
    return execute(
        "SELECT ledger_settle('node:gone:1', ARRAY[?::date], ARRAY[?], ARRAY[?::uuid], ARRAY[?],"
            + " '{0}', '{10}', '{7}', '{1}', '{2}', '{3}', '{4}', '{f}', '{completed}', '{NULL}')",
        day.toString(), RequestId.at(noon).value(), payer.value(), its.value());
  }

  /** Of each scope of a day: how many charges, and tokens of each kind. */
  private List<String> sums(LocalDate day) throws SQLException {
    return execute(
        "SELECT concat_ws(' ', n, prompt_tokens, completion_tokens, cached_tokens,"
            + " reasoning_tokens) FROM settlement_rollup WHERE day = ?::date",
        day.toString());
  }

  private List<String> execute(String sql, Object... values) throws SQLException {
    return TestLedgerStore.execute(source, sql, values);
  }
}
