package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import dev.tollgate.server.postgres.session.Migrations;
import dev.tollgate.server.postgres.session.StoreOptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A day that is closed while late charges of it are settled counts each of them once, and nodes
 * that close and drop a day at the same moment do so once.
 */
@Execution(ExecutionMode.CONCURRENT)
final class ClosingDayIT {
  private static final int CONNECTIONS = 8;
  private static final int ROUNDS = Integer.getInteger("tollgate.days.rounds", 10);

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

  @Test
  void nodesThatCloseAndDropTheSameDayAtOnceDoItOnce() throws Exception {
    List<Connection> nodes = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
      for (int n = 0; n < CONNECTIONS; n++) {
        nodes.add(source.getConnection());
      }
      for (int round = 0; round < ROUNDS; round++) {
        LocalDate day = today.minusDays(1_000 + round);
        execute("SELECT ledger_partition(?::date)", day.toString());
        settle(day, org, key);

        var drops = new Drops(day);
        for (Future<Void> each : threads.invokeAll(drops.by(nodes))) {
          each.get();
        }
        assertThat(drops.times()).as("in round %d", round).isEqualTo("1 1");
        assertThat(sums(day)).hasSize(4).containsOnly("1 1 2 3 4");
      }
    } finally {
      for (Connection node : nodes) {
        node.close();
      }
    }
    assertThat(ledgerStore.store().ledgerAudit().runFull()).isEmpty();
  }

  /** One day that all nodes close and drop at once, until it is gone. */
  private record Drops(LocalDate day, AtomicInteger requests, AtomicInteger charges) {
    Drops(LocalDate day) {
      this(day, new AtomicInteger(), new AtomicInteger());
    }

    List<Callable<Void>> by(List<Connection> nodes) {
      var begin = new CyclicBarrier(nodes.size());
      return nodes.stream().<Callable<Void>>map(node -> () -> run(node, begin)).toList();
    }

    private @Nullable Void run(Connection node, CyclicBarrier begin) throws Exception {
      begin.await(30, TimeUnit.SECONDS);
      while (requests.get() == 0 || charges.get() == 0) {
        var _ = isDone(node, "ledger_close_day", day);
        requests.addAndGet(isDone(node, "ledger_drop_requests", day) ? 1 : 0);
        charges.addAndGet(isDone(node, "ledger_drop_charges", day) ? 1 : 0);
      }
      return null;
    }

    /** How often the request log and the charges of the day were dropped. */
    String times() {
      return requests + " " + charges;
    }
  }

  private static boolean isDone(Connection connection, String function, LocalDate day)
      throws SQLException {
    try (var call = connection.prepareStatement("SELECT " + function + "(?)")) {
      call.setObject(1, day);
      try (var row = call.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
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
