package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.ledger.LedgerPartitions;
import dev.tollgate.server.postgres.ledger.UsageReport;
import dev.tollgate.server.postgres.ledger.UsageReport.UsageRow;
import dev.tollgate.server.postgres.session.DatabaseAccess;
import dev.tollgate.server.postgres.session.Migrations;
import dev.tollgate.server.postgres.session.StoreOptions;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A store from before V26 gets the sums of cached and reasoning tokens that its closed days lack.
 * It is filled by its own functions: no later code must fit it.
 */
class ClosedDayTokensIT {
  private static final String BEFORE = "25";
  private static final OrgId ORG = new OrgId(new UUID(0, 26));
  private static final String KEY = "usedDays";
  private static final OrgId OTHERS = new OrgId(new UUID(0, 27));
  private static final String OTHER = "otherDay";

  private final long now = System.currentTimeMillis();
  private final LocalDate today = Window.at(now).day();
  private final LocalDate yesterday = today.minusDays(1);
  private StoreOptions options;
  private DatabaseAccess database;
  private DataSource source;

  @BeforeEach
  void charge() throws Exception {
    options = SharedPostgres.newDatabase();
    database = DatabaseAccess.forCommand(options);
    source = Migrations.plain(database.address());
    Migrations.migrateTo(database.address(), BEFORE);
    insert(ORG, KEY);
    insert(OTHERS, OTHER);
    settle(yesterday);
    assertThat(execute("SELECT ledger_close_day(?::date)", yesterday.toString()))
        .containsExactly("t");
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void theyAreMadeOfTheChargesThatAreStored() throws Exception {
    LocalDate dropped = today.minusDays(2);
    settle(dropped);
    assertThat(execute("SELECT ledger_drop_charges(?::date)", dropped.toString()))
        .containsExactly("t");
    settle(yesterday);
    settle(today);

    assertThat(Migrations.run(database)).isPositive();
    assertThat(sums(yesterday)).hasSize(4).containsOnly("2 6 8");
    assertThat(sums(dropped)).hasSize(4).containsOnly("1 0 0");
    settle(yesterday);
    assertThat(sums(yesterday)).hasSize(4).containsOnly("3 9 12");
    List<UsageRow> expected =
        List.of(
            new UsageRow(dropped.toString(), 1, 1, 2, 0, 0, new MicroUsd(7)),
            new UsageRow(yesterday.toString(), 3, 3, 6, 9, 12, new MicroUsd(21)),
            new UsageRow(today.toString(), 1, 1, 2, 3, 4, new MicroUsd(7)));
    try (Store store = SharedPostgres.open(options)) {
      assertThat(usage(store)).isEqualTo(expected);
      TestLedgerStore.of(store).setClock(now + Duration.ofDays(9).toMillis());
      Duration least = Duration.ofDays(LedgerPartitions.RETENTION_DAYS_MIN);
      assertThat(store.ledgerPartitions().dropExpired(least, least).charges())
          .contains(yesterday, today);
      assertThat(usage(store)).isEqualTo(expected);
      assertThat(store.ledgerAudit().run()).isEmpty();
      assertThat(store.ledgerAudit().runFull()).isEmpty();
    }
  }

  /** Nodes of the version before go on while the store is migrated. */
  @Test
  void whatIsBookedMeanwhileIsInThem() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> before;
      Future<?> migrated;
      Future<?> after;
      try (var connection = source.getConnection();
          var statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute("SELECT 1 FROM scope_account FOR UPDATE");
        before = threads.submit(() -> settle(yesterday));
        awaitWaiting(1, before);
        migrated = threads.submit(() -> Migrations.run(database));
        awaitWaiting(2, migrated);
        after = threads.submit(() -> settle(yesterday));
        awaitWaiting(3, after);
        settle(today, OTHERS, OTHER); // waits for nobody
        connection.rollback();
        connection.setAutoCommit(true);
      }
      before.get();
      migrated.get();
      after.get();
    }
    assertThat(sums(yesterday)).hasSize(4).containsOnly("3 9 12");
    try (Store store = SharedPostgres.open(options)) {
      assertThat(store.ledgerAudit().runFull()).isEmpty();
    }
  }

  private void insert(OrgId org, String key) throws SQLException {
    execute(
        "INSERT INTO organization (id, name, webhook_secret)"
            + " VALUES (?, ?, decode(repeat('00', 32), 'hex'))",
        org.value(),
        key);
    execute(
        "INSERT INTO api_key (id, org_id, name, hash, last_four)"
            + " VALUES (?, ?, 'k', sha256(convert_to(?, 'UTF8')), 'Days')",
        key,
        org.value(),
        key);
  }

  private void awaitWaiting(int count, Future<?> last) throws Exception {
    String waiting =
        "SELECT count(*) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while (Integer.parseInt(execute(waiting).getFirst()) < count) {
      assertThat(last).isNotDone();
    }
  }

  private List<String> settle(LocalDate day) throws SQLException {
    return settle(day, ORG, KEY);
  }

  /** Books a charge with four kinds of tokens, 1 to 4 of them. */
  private List<String> settle(LocalDate day, OrgId org, String key) throws SQLException {
    long noon = Instant.parse(day + "T12:00:00Z").toEpochMilli();
    return execute(
        "SELECT ledger_settle('node:gone:1', ARRAY[?::date], ARRAY[?], ARRAY[?::uuid], ARRAY[?],"
            + " '{0}', '{10}', '{7}', '{1}', '{2}', '{3}', '{4}', '{f}', '{completed}', '{NULL}')",
        day.toString(), RequestId.at(noon).value(), org.value(), key);
  }

  /** Of each scope of a day: how many charges, cached and reasoning tokens. */
  private List<String> sums(LocalDate day) throws SQLException {
    return execute(
        "SELECT concat_ws(' ', n, cached_tokens, reasoning_tokens) FROM settlement_rollup"
            + " WHERE day = ?::date",
        day.toString());
  }

  private List<UsageRow> usage(Store store) throws SQLException {
    Instant since = Instant.parse(today.minusDays(3) + "T00:00:00Z");
    return store.usageReport().sum(UsageReport.GroupBy.DAY, ORG, since);
  }

  private List<String> execute(String sql, Object... values) throws SQLException {
    return TestLedgerStore.execute(source, sql, values);
  }
}
