package dev.tollgate.server.postgres.ledger;

import dev.tollgate.core.ledger.LedgerStore;
import dev.tollgate.core.ledger.NodeCheckpoints;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.Scope;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.session.SqlArrays;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import javax.sql.DataSource;

/**
 * Ledger store in PostgreSQL, shared by all nodes: grants leases and settles charges. Every call is
 * one function of the migrations {@code V7__ledger_grants} and {@code V8__ledger_settlement} in a
 * transaction of its own, so that locks are held for one statement and never across a round trip.
 */
public final class PostgresLedgerStore implements LedgerStore {
  private static final String TICK = "SELECT * FROM ledger_tick(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  /**
   * Leases that end in one transaction, whose rows others wait for: half a second if it is busy.
   */
  private static final int BATCH_SIZE = 10_000;

  private final DataSource pool;
  private final PostgresNodeCheckpoints checkpoints;

  public PostgresLedgerStore(DataSource pool) {
    this.pool = pool;
    this.checkpoints = new PostgresNodeCheckpoints(pool);
  }

  /** Returns the checkpoints, which show whether the ledger store was replaced or rolled back. */
  public NodeCheckpoints checkpoints() {
    return checkpoints;
  }

  /** Returns the time of the ledger store's clock, in milliseconds since the Unix epoch. */
  public long millis() throws LedgerStoreException {
    return call(
        "SELECT floor(extract(epoch FROM ledger_now()) * 1000)::bigint",
        _ -> {},
        row -> {
          row.next();
          return row.getLong(1);
        });
  }

  @Override
  public LeaseHolder open(UUID node, UUID boot) throws LedgerStoreException {
    endLeases(
        "SELECT ledger_let_go(?, NULL, NULL, ?)",
        release -> {
          release.setObject(1, node);
          release.setInt(2, BATCH_SIZE);
        });
    return call(
        "SELECT ledger_open(?, ?)",
        open -> {
          open.setObject(1, node);
          open.setObject(2, boot);
        },
        row -> {
          row.next();
          return new LeaseHolder(node, row.getLong(1), boot);
        });
  }

  @Override
  public void close(LeaseHolder holder) throws LedgerStoreException {
    endLeases(
        "SELECT ledger_let_go(?, ?, ?, ?)",
        release -> {
          bind(release, holder);
          release.setInt(4, BATCH_SIZE);
        });
    call("SELECT ledger_close(?, ?, ?)", close -> bind(close, holder), ResultSet::next);
  }

  /** Ends leases in portions until the rest fits into the next statement. */
  private void endLeases(String sql, Binding binding) throws LedgerStoreException {
    int ended = BATCH_SIZE;
    while (ended == BATCH_SIZE) {
      ended =
          call(
              sql,
              binding,
              row -> {
                row.next();
                return row.getInt(1);
              });
    }
  }

  @Override
  public GrantAnswer grant(LeaseHolder holder, GrantRequest ask) throws LedgerStoreException {
    Payer payer = ask.payer();
    List<GrantItem> wants = ask.items();
    return call(
        "SELECT * FROM ledger_grant(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        grant -> {
          bind(grant, holder);
          grant.setLong(4, ask.number());
          grant.setBoolean(5, ask.awaited());
          grant.setLong(6, ask.sinceCall());
          grant.setObject(7, payer.org().value());
          grant.setString(8, payer.lineage().value());
          Connection connection = grant.getConnection();
          grant.setArray(9, SqlArrays.ints(connection, wants, want -> want.kind().bit()));
          grant.setArray(10, texts(connection, wants, want -> payer.scope(want.kind()).id()));
          grant.setArray(11, longs(connection, wants, want -> want.minimum().value()));
          grant.setArray(12, longs(connection, wants, want -> want.desired().value()));
          grant.setArray(13, longs(connection, wants, PostgresLedgerStore::held));
        },
        PostgresLedgerStore::readGrant);
  }

  private static long held(GrantItem want) {
    MicroUsd held = want.knownBase();
    return held == null ? -1 : held.value();
  }

  private static GrantAnswer readGrant(ResultSet row) throws SQLException {
    List<LeaseGrowth> granted = new ArrayList<>();
    List<Shortage> shortages = new ArrayList<>();
    while (row.next()) {
      switch (row.getString("answer")) {
        case "fenced" -> {
          return new GrantAnswer.Fenced();
        }
        case "stale" -> {
          return new GrantAnswer.Stale();
        }
        case "given" -> granted.add(new LeaseGrowth(scope(row), money(row, "amount")));
        case "short" ->
            shortages.add(
                new Shortage(
                    scope(row),
                    money(row, "limit_micro"),
                    money(row, "used_micro"),
                    money(row, "leased_micro"),
                    row.getBoolean("awaits")));
        default -> throw new SQLException("no result of a grant: " + row.getString("answer"));
      }
    }
    return shortages.isEmpty()
        ? new GrantAnswer.Issued(granted)
        : new GrantAnswer.Refused(shortages);
  }

  @Override
  public SettleAnswer settle(LeaseHolder holder, List<Settlement> batch)
      throws LedgerStoreException {
    try (Connection connection = pool.getConnection();
        PreparedStatement settle =
            connection.prepareStatement(
                SettlementBatch.CALL + PostgresNodeCheckpoints.COUNT_BATCH)) {
      SettlementBatch.bind(settle, name(holder), batch);
      settle.setObject(16, holder.node());
      settle.setLong(17, holder.epoch());
      settle.execute();
      SettleAnswer settled;
      try (ResultSet rows = settle.getResultSet()) {
        settled = readSettled(rows);
      }
      settle.getMoreResults();
      try (ResultSet counted = settle.getResultSet()) {
        if (counted.next()) {
          checkpoints.watermark().batchSettled(counted.getLong(1));
        }
      }
      return settled;
    } catch (SQLException e) {
      throw LedgerStoreFailures.of(e);
    }
  }

  private static SettleAnswer readSettled(ResultSet row) throws SQLException {
    List<LeaseGrowth> overruns = new ArrayList<>();
    while (row.next()) {
      overruns.add(new LeaseGrowth(scope(row), money(row, "overrun")));
    }
    return new SettleAnswer(overruns);
  }

  /**
   * Quarantines a charge that the ledger store refuses, whole, for an operator's decision.
   * Idempotent.
   */
  public void quarantine(LeaseHolder holder, Settlement settlement, String reason)
      throws LedgerStoreException {
    call(
        SettlementBatch.QUARANTINE,
        insert -> SettlementBatch.bindQuarantine(insert, name(holder), settlement, reason),
        ResultSet::next);
  }

  @Override
  public TickAnswer tick(LeaseHolder holder, long number, List<LeaseStatement> statements)
      throws LedgerStoreException {
    try (Connection connection = pool.getConnection();
        PreparedStatement tick =
            connection.prepareStatement(TICK + PostgresNodeCheckpoints.RECORD_HEARTBEAT)) {
      bind(tick, holder);
      tick.setLong(4, number);
      tick.setArray(
          5, uuids(connection, statements, statement -> statement.payer().org().toString()));
      tick.setArray(
          6, texts(connection, statements, statement -> statement.payer().lineage().value()));
      tick.setArray(7, texts(connection, statements, statement -> statement.scope().id()));
      tick.setArray(8, longs(connection, statements, statement -> statement.base().value()));
      tick.setArray(9, longs(connection, statements, LeaseStatement::recall));
      tick.setArray(10, flags(connection, statements, LeaseStatement::last));
      tick.setLong(11, number);
      tick.setObject(12, holder.node());
      tick.setLong(13, holder.epoch());
      tick.setLong(14, checkpoints.watermark().heartbeat());
      tick.execute();
      TickAnswer answer;
      try (ResultSet rows = tick.getResultSet()) {
        answer = readTick(rows);
      }
      tick.getMoreResults();
      try (ResultSet known = tick.getResultSet()) {
        if (answer instanceof TickAnswer.Accepted) {
          checkpoints.watermark().heartbeat(number, known.next());
        }
      }
      return answer;
    } catch (SQLException e) {
      throw LedgerStoreFailures.of(e);
    }
  }

  private static TickAnswer readTick(ResultSet row) throws SQLException {
    row.next();
    if ("fenced".equals(row.getString("answer"))) {
      return new TickAnswer.Fenced();
    }
    long bankMillis = row.getLong("bank_millis");
    List<Recall> recalls = new ArrayList<>();
    List<LeaseGrowth> overruns = new ArrayList<>();
    List<Scope> closed = new ArrayList<>();
    while (row.next()) {
      switch (row.getString("answer")) {
        case "overran" -> overruns.add(new LeaseGrowth(scope(row), money(row, "overrun")));
        case "closed" -> closed.add(scope(row));
        default -> recalls.add(new Recall(scope(row), row.getLong("recall")));
      }
    }
    return new TickAnswer.Accepted(bankMillis, recalls, overruns, closed);
  }

  /** Name under which an epoch of a node holds leases. */
  static String name(LeaseHolder holder) {
    return "node:" + holder.node() + ":" + holder.epoch();
  }

  private static void bind(PreparedStatement call, LeaseHolder holder) throws SQLException {
    call.setObject(1, holder.node());
    call.setLong(2, holder.epoch());
    call.setObject(3, holder.boot());
  }

  private static Scope scope(ResultSet row) throws SQLException {
    String id = row.getString("scope_id");
    String prefix = id.substring(0, id.indexOf(':'));
    for (ScopeKind kind : ScopeKind.values()) {
      if (kind.prefix().equals(prefix)) {
        return new Scope(kind, id);
      }
    }
    throw new SQLException("unknown kind of scope: " + id);
  }

  private static MicroUsd money(ResultSet row, String column) throws SQLException {
    return new MicroUsd(row.getLong(column));
  }

  private static <T> java.sql.Array texts(
      Connection connection, List<T> all, Function<T, String> text) throws SQLException {
    return SqlArrays.of(connection, "text", all, text);
  }

  private static <T> java.sql.Array uuids(
      Connection connection, List<T> all, Function<T, String> text) throws SQLException {
    return SqlArrays.of(connection, "uuid", all, text);
  }

  private static <T> java.sql.Array flags(Connection connection, List<T> all, Predicate<T> flag)
      throws SQLException {
    return SqlArrays.of(connection, "bool", all, one -> String.valueOf(flag.test(one)));
  }

  private static <T> java.sql.Array longs(
      Connection connection, List<T> all, ToLongFunction<T> number) throws SQLException {
    return SqlArrays.longs(connection, all, number);
  }

  /** Setter of the parameters of a call. */
  private interface Binding {
    void bind(PreparedStatement call) throws SQLException;
  }

  /** Reader of the rows of a result. */
  private interface Reading<T> {
    T read(ResultSet rows) throws SQLException;
  }

  private <T> T call(String sql, Binding binding, Reading<T> reading) throws LedgerStoreException {
    try (Connection connection = pool.getConnection();
        PreparedStatement call = connection.prepareStatement(sql)) {
      binding.bind(call);
      try (ResultSet rows = call.executeQuery()) {
        return reading.read(rows);
      }
    } catch (SQLException e) {
      throw LedgerStoreFailures.of(e);
    }
  }
}
