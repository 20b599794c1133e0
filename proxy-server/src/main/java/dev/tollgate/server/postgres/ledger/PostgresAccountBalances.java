package dev.tollgate.server.postgres.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.ledger.AccountBalance;
import dev.tollgate.core.ledger.AccountBalance.HeldHere;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.tenants.StoredKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * Query of the account balance and current limits of an API key in PostgreSQL, in one round trip
 * without locks.
 */
public final class PostgresAccountBalances {
  private static final String SELECT =
      """
      SELECT s.kind, coalesce(a.used_micro, 0) AS used_micro,
             coalesce(a.leased_micro, 0) AS leased_micro,
             coalesce(l.granted_micro - l.spent_micro, 0) AS leased_here_micro,
             CASE s.kind WHEN 1 THEN coalesce(a.limit_micro, 0)
                         WHEN 2 THEN o.monthly_limit_micro
                         WHEN 4 THEN k.daily_budget_micro
                         WHEN 8 THEN k.monthly_budget_micro END AS limit_micro
        FROM api_key k JOIN organization o ON o.id = k.org_id
       CROSS JOIN LATERAL ledger_scopes(o.id, k.id, ?::date) s
        LEFT JOIN scope_account a ON a.scope_id = s.scope_id COLLATE "C"
        LEFT JOIN lease l ON l.scope_id = a.scope_id AND l.holder = ? AND l.state = 'open'
       WHERE k.id = ?
      """;

  private final DataSource pool;

  public PostgresAccountBalances(DataSource pool) {
    this.pool = pool;
  }

  /**
   * Returns the sums of a key's payer in a window; empty if the key does not exist.
   *
   * @param holder this node
   * @param held what it holds of the key's scopes
   */
  public Optional<AccountBalance> find(
      KeyId key, Window window, LeaseHolder holder, Function<ScopeKind, HeldHere> held)
      throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement select = connection.prepareStatement(SELECT)) {
      select.setString(1, window.day().toString());
      select.setString(2, PostgresLedgerStore.name(holder));
      select.setString(3, key.value());
      try (ResultSet row = select.executeQuery()) {
        Map<ScopeKind, AccountBalance.ScopeBalance> sums = new EnumMap<>(ScopeKind.class);
        while (row.next()) {
          ScopeKind kind = kind(row.getInt("kind"));
          sums.put(kind, sum(row, held.apply(kind)));
        }
        return sums.isEmpty() ? Optional.empty() : Optional.of(new AccountBalance(window, sums));
      }
    }
  }

  private static ScopeKind kind(int bit) {
    for (ScopeKind kind : ScopeKind.values()) {
      if (kind.bit() == bit) {
        return kind;
      }
    }
    throw new IllegalStateException("unknown kind of scope " + bit);
  }

  private static AccountBalance.ScopeBalance sum(ResultSet row, HeldHere held) throws SQLException {
    return AccountBalance.ScopeBalance.of(
        StoredKey.money(row, "limit_micro"),
        new MicroUsd(row.getLong("used_micro")),
        new MicroUsd(row.getLong("leased_micro")),
        new MicroUsd(row.getLong("leased_here_micro")),
        held);
  }
}
