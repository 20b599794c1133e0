package dev.tollgate.server.postgres;

import dev.tollgate.core.ledger.Bank;
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
import java.util.function.ToLongFunction;
import javax.sql.DataSource;

/**
 * The shared books in PostgreSQL. Every call is one function of the migration {@code V2__ledger} in
 * a transaction of its own, so that locks are held for one statement and never across a round trip.
 */
public final class PostgresBank implements Bank {
  private final DataSource pool;

  PostgresBank(DataSource pool) {
    this.pool = pool;
  }

  @Override
  public Holder open(UUID node, UUID boot) throws BankException {
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
    call("SELECT ledger_close(?, ?, ?)", close -> bind(close, holder), ResultSet::next);
  }

  @Override
  public GrantAnswer grant(Holder holder, Payer payer, List<Want> wants) throws BankException {
    return call(
        "SELECT * FROM ledger_grant(?, ?, ?, ?, ?, ?, ?, ?, ?)",
        grant -> {
          bind(grant, holder);
          grant.setObject(4, payer.org().value());
          grant.setString(5, payer.key().value());
          Connection connection = grant.getConnection();
          grant.setArray(6, SqlArrays.ints(connection, wants, want -> want.kind().bit()));
          grant.setArray(7, texts(connection, wants, want -> payer.scope(want.kind()).id()));
          grant.setArray(8, longs(connection, wants, want -> want.least().value()));
          grant.setArray(9, longs(connection, wants, want -> want.most().value()));
        },
        PostgresBank::readGrant);
  }

  private static GrantAnswer readGrant(ResultSet row) throws SQLException {
    List<Granted> granted = new ArrayList<>();
    List<Shortage> shortages = new ArrayList<>();
    while (row.next()) {
      switch (row.getString("answer")) {
        case "fenced" -> {
          return new GrantAnswer.Fenced();
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
    return call(
        SettlementBatch.CALL,
        settle -> SettlementBatch.bind(settle, name(holder), batch),
        row -> {
          List<Granted> overruns = new ArrayList<>();
          while (row.next()) {
            overruns.add(new Granted(scope(row), money(row, "overrun")));
          }
          return new Booked(overruns);
        });
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
  public TickAnswer tick(Holder holder, List<GiveBack> surplus) throws BankException {
    return call(
        "SELECT * FROM ledger_tick(?, ?, ?, ?, ?, ?)",
        tick -> {
          bind(tick, holder);
          Connection connection = tick.getConnection();
          tick.setArray(4, texts(connection, surplus, back -> back.scope().id()));
          tick.setArray(5, longs(connection, surplus, back -> back.amount().value()));
          tick.setArray(6, longs(connection, surplus, GiveBack::recall));
        },
        PostgresBank::readTick);
  }

  private static TickAnswer readTick(ResultSet row) throws SQLException {
    row.next();
    if ("fenced".equals(row.getString("answer"))) {
      return new TickAnswer.Fenced();
    }
    long bankMillis = row.getLong("bank_millis");
    List<Recall> recalls = new ArrayList<>();
    while (row.next()) {
      recalls.add(new Recall(scope(row), row.getLong("recall")));
    }
    return new TickAnswer.Alive(bankMillis, recalls);
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
