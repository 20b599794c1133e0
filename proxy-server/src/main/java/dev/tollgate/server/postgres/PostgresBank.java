package dev.tollgate.server.postgres;

import dev.tollgate.core.ledger.Bank;
import dev.tollgate.core.ledger.Marks;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.Scope;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.money.MicroUsd;
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
 * The shared books in PostgreSQL. Every call is one function of the migrations {@code
 * V7__ledger_grants} and {@code V8__ledger_settlement} in a transaction of its own, so that locks
 * are held for one statement and never across a round trip.
 */
public final class PostgresBank implements Bank {
  private static final String TICK = "SELECT * FROM ledger_tick(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  /**
   * Leases that end in one transaction, whose rows others wait for: half a second, if it is busy.
   */
  private static final int PORTION = 10_000;

  private final DataSource pool;
  private final PostgresMarks marks;

  PostgresBank(DataSource pool) {
    this.pool = pool;
    this.marks = new PostgresMarks(pool);
  }

  /** Whether they are still the same books, with all that they had. */
  public Marks marks() {
    return marks;
  }

  /** The books' clock, in milliseconds since the epoch. */
  public long millis() throws BankException {
    return call(
        "SELECT floor(extract(epoch FROM ledger_now()) * 1000)::bigint",
        _ -> {},
        row -> {
          row.next();
          return row.getLong(1);
        });
  }

  @Override
  public Holder open(UUID node, UUID boot) throws BankException {
    letGo(
        "SELECT ledger_let_go(?, NULL, NULL, ?)",
        letGo -> {
          letGo.setObject(1, node);
          letGo.setInt(2, PORTION);
        });
    return call(
        "SELECT ledger_open(?, ?)",
        open -> {
          open.setObject(1, node);
          open.setObject(2, boot);
        },
        row -> {
          row.next();
          return new Holder(node, row.getLong(1), boot);
        });
  }

  @Override
  public void close(Holder holder) throws BankException {
    letGo(
        "SELECT ledger_let_go(?, ?, ?, ?)",
        letGo -> {
          bind(letGo, holder);
          letGo.setInt(4, PORTION);
        });
    call("SELECT ledger_close(?, ?, ?)", close -> bind(close, holder), ResultSet::next);
  }

  /** Ends leases until few are left for what follows. */
  private void letGo(String sql, Binding binding) throws BankException {
    int ended = PORTION;
    while (ended == PORTION) {
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
  public GrantAnswer grant(Holder holder, Ask ask) throws BankException {
    Payer payer = ask.payer();
    List<Want> wants = ask.wants();
    return call(
        "SELECT * FROM ledger_grant(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        grant -> {
          bind(grant, holder);
          grant.setLong(4, ask.number());
          grant.setBoolean(5, ask.awaited());
          grant.setLong(6, ask.since());
          grant.setObject(7, payer.org().value());
          grant.setString(8, payer.key().value());
          Connection connection = grant.getConnection();
          grant.setArray(9, SqlArrays.ints(connection, wants, want -> want.kind().bit()));
          grant.setArray(10, texts(connection, wants, want -> payer.scope(want.kind()).id()));
          grant.setArray(11, longs(connection, wants, want -> want.least().value()));
          grant.setArray(12, longs(connection, wants, want -> want.most().value()));
          grant.setArray(13, longs(connection, wants, PostgresBank::held));
        },
        PostgresBank::readGrant);
  }

  private static long held(Want want) {
    MicroUsd held = want.held();
    return held == null ? -1 : held.value();
  }

  private static GrantAnswer readGrant(ResultSet row) throws SQLException {
    List<Granted> granted = new ArrayList<>();
    List<Shortage> shortages = new ArrayList<>();
    while (row.next()) {
      switch (row.getString("answer")) {
        case "fenced" -> {
          return new GrantAnswer.Fenced();
        }
        case "stale" -> {
          return new GrantAnswer.Stale();
        }
        case "given" -> granted.add(new Granted(scope(row), money(row, "amount")));
        case "short" ->
            shortages.add(
                new Shortage(
                    scope(row),
                    money(row, "limit_micro"),
                    money(row, "used_micro"),
                    money(row, "leased_micro"),
                    row.getBoolean("awaits")));
        default -> throw new SQLException("no answer to a grant: " + row.getString("answer"));
      }
    }
    return shortages.isEmpty()
        ? new GrantAnswer.Given(granted)
        : new GrantAnswer.Refused(shortages);
  }

  @Override
  public Booked settle(Holder holder, List<Settlement> batch) throws BankException {
    try (Connection connection = pool.getConnection();
        PreparedStatement settle =
            connection.prepareStatement(SettlementBatch.CALL + PostgresMarks.COUNT)) {
      SettlementBatch.bind(settle, name(holder), batch);
      settle.setObject(16, holder.node());
      settle.setLong(17, holder.epoch());
      settle.execute();
      Booked booked;
      try (ResultSet rows = settle.getResultSet()) {
        booked = readBooked(rows);
      }
      settle.getMoreResults();
      try (ResultSet counted = settle.getResultSet()) {
        if (counted.next()) {
          marks.counts().booked(counted.getLong(1));
        }
      }
      return booked;
    } catch (SQLException e) {
      throw BankFailures.of(e);
    }
  }

  private static Booked readBooked(ResultSet row) throws SQLException {
    List<Granted> overruns = new ArrayList<>();
    while (row.next()) {
      overruns.add(new Granted(scope(row), money(row, "overrun")));
    }
    return new Booked(overruns);
  }

  /**
   * Puts a charge aside that the books refuse, whole and for a person to look at; once, however
   * often it is sent.
   */
  public void quarantine(Holder holder, Settlement settlement, String reason) throws BankException {
    call(
        SettlementBatch.QUARANTINE,
        insert -> SettlementBatch.bindQuarantine(insert, name(holder), settlement, reason),
        ResultSet::next);
  }

  @Override
  public TickAnswer tick(Holder holder, long number, List<Statement> statements)
      throws BankException {
    try (Connection connection = pool.getConnection();
        PreparedStatement tick = connection.prepareStatement(TICK + PostgresMarks.TICKED)) {
      bind(tick, holder);
      tick.setLong(4, number);
      tick.setArray(5, uuids(connection, statements, said -> said.payer().org().toString()));
      tick.setArray(6, texts(connection, statements, said -> said.payer().key().value()));
      tick.setArray(7, texts(connection, statements, said -> said.scope().id()));
      tick.setArray(8, longs(connection, statements, said -> said.base().value()));
      tick.setArray(9, longs(connection, statements, Statement::recall));
      tick.setArray(10, flags(connection, statements, Statement::last));
      tick.setLong(11, number);
      tick.setObject(12, holder.node());
      tick.setLong(13, holder.epoch());
      tick.setLong(14, marks.counts().ticked());
      tick.execute();
      TickAnswer answer;
      try (ResultSet rows = tick.getResultSet()) {
        answer = readTick(rows);
      }
      tick.getMoreResults();
      try (ResultSet known = tick.getResultSet()) {
        if (answer instanceof TickAnswer.Alive) {
          marks.counts().ticked(number, known.next());
        }
      }
      return answer;
    } catch (SQLException e) {
      throw BankFailures.of(e);
    }
  }

  private static TickAnswer readTick(ResultSet row) throws SQLException {
    row.next();
    if ("fenced".equals(row.getString("answer"))) {
      return new TickAnswer.Fenced();
    }
    long bankMillis = row.getLong("bank_millis");
    List<Recall> recalls = new ArrayList<>();
    List<Granted> overruns = new ArrayList<>();
    List<Scope> closed = new ArrayList<>();
    while (row.next()) {
      switch (row.getString("answer")) {
        case "overran" -> overruns.add(new Granted(scope(row), money(row, "overrun")));
        case "closed" -> closed.add(scope(row));
        default -> recalls.add(new Recall(scope(row), row.getLong("recall")));
      }
    }
    return new TickAnswer.Alive(bankMillis, recalls, overruns, closed);
  }

  /** The name under which a node's life holds leases. */
  static String name(Holder holder) {
    return "node:" + holder.node() + ":" + holder.epoch();
  }

  private static void bind(PreparedStatement call, Holder holder) throws SQLException {
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
    throw new SQLException("no kind of scope: " + id);
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

  /** Sets the parameters of a call. */
  private interface Binding {
    void bind(PreparedStatement call) throws SQLException;
  }

  /** Reads the rows of an answer. */
  private interface Reading<T> {
    T read(ResultSet rows) throws SQLException;
  }

  private <T> T call(String sql, Binding binding, Reading<T> reading) throws BankException {
    try (Connection connection = pool.getConnection();
        PreparedStatement call = connection.prepareStatement(sql)) {
      binding.bind(call);
      try (ResultSet rows = call.executeQuery()) {
        return reading.read(rows);
      }
    } catch (SQLException e) {
      throw BankFailures.of(e);
    }
  }
}
