package dev.tollgate.server.postgres.tenants;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.server.postgres.session.Transactions;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * DAO of API keys in PostgreSQL: creation, change, rotation and revocation. A key's secret leaves
 * this class once, at its creation; only its hash is stored. Triggers notify every node of every
 * change.
 */
public final class ApiKeys {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final DataSource pool;

  public ApiKeys(DataSource pool) {
    this.pool = pool;
  }

  /** Specification of a new API key. */
  public record ApiKeySpec(
      String name, KeyScope scope, KeyLimits limits, @Nullable Instant expiresAt) {
    public static ApiKeySpec named(String name) {
      return new ApiKeySpec(name, KeyScope.ALL, KeyLimits.DEFAULT, null);
    }
  }

  /** Result of {@link #create}: the new key, or the reason for its refusal. */
  public sealed interface KeyCreation {
    record Created(StoredKey key, ApiKeyText.ValidKey secret) implements KeyCreation {}

    record UnknownOrg() implements KeyCreation {}

    /** The organization has its maximum of keys (max_api_keys_reached). */
    record TooMany(int max) implements KeyCreation {}
  }

  /** Result of a change to an API key. */
  public sealed interface KeyUpdate {
    record Done(StoredKey key) implements KeyUpdate {}

    /** The key was rotated: the old key is revoked, and this one replaces it. */
    record Replaced(StoredKey key, ApiKeyText.ValidKey secret) implements KeyUpdate {}

    record UnknownKey() implements KeyUpdate {}

    /** The key was revoked, which is final. */
    record Revoked() implements KeyUpdate {}
  }

  /**
   * Who made a key, and a note about it.
   *
   * @param createdBy a kind, a colon and an id, such as {@code user:…}
   */
  public record Origin(String createdBy, @Nullable String note) {
    /** Origin of keys that no person made. */
    public static final Origin UNKNOWN = new Origin("cli", null);
  }

  /**
   * Creates a key, unless the organization has {@code keysMax} that are not revoked.
   *
   * @param keysMax 0 means no limit
   */
  public KeyCreation create(OrgId org, ApiKeySpec spec, int keysMax) throws SQLException {
    return Transactions.run(
        pool,
        connection ->
            lockOrg(connection, org)
                ? create(connection, org, spec, Origin.UNKNOWN, keysMax)
                : new KeyCreation.UnknownOrg());
  }

  /** The same in the caller's transaction, which holds the lock of the organization. */
  public static KeyCreation create(
      Connection connection, OrgId org, ApiKeySpec spec, Origin origin, int keysMax)
      throws SQLException {
    if (keysMax > 0 && count(connection, org) >= keysMax) {
      return new KeyCreation.TooMany(keysMax);
    }
    ApiKeyText.ValidKey secret = ApiKeyText.generate(RANDOM);
    return new KeyCreation.Created(insert(connection, org, spec, origin, secret), secret);
  }

  public Optional<StoredKey> find(KeyId id) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return find(connection, id);
    }
  }

  /** Returns the keys of one organization, oldest first. */
  public List<StoredKey> list(OrgId org) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement select =
            connection.prepareStatement(
                StoredKey.SELECT + " WHERE k.org_id = ? ORDER BY k.created_at, k.id")) {
      select.setObject(1, org.value());
      try (ResultSet row = select.executeQuery()) {
        List<StoredKey> keys = new ArrayList<>();
        while (row.next()) {
          keys.add(StoredKey.read(row));
        }
        return keys;
      }
    }
  }

  public KeyUpdate disable(KeyId id) throws SQLException {
    return change(id, connection -> setState(connection, id, KeyState.DISABLED));
  }

  public KeyUpdate enable(KeyId id) throws SQLException {
    return change(id, connection -> setState(connection, id, KeyState.ACTIVE));
  }

  public KeyUpdate revoke(KeyId id) throws SQLException {
    return change(id, connection -> setState(connection, id, KeyState.REVOKED));
  }

  /**
   * Changes the state of a key that is not revoked and whose row the caller's transaction locks.
   */
  public static void setState(Connection connection, KeyId id, KeyState state) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE api_key SET state = ?, revoked_at = CASE WHEN ? THEN now() END WHERE id = ?")) {
      update.setString(1, state.name().toLowerCase(Locale.ROOT));
      update.setBoolean(2, state == KeyState.REVOKED);
      update.setString(3, id.value());
      update.executeUpdate();
    }
  }

  /**
   * Revokes the key and creates one with the same limits, state and budget windows, so that what
   * was spent and reserved counts for the new key.
   */
  public KeyUpdate rotate(KeyId id) throws SQLException {
    return Transactions.run(
        pool,
        connection -> {
          Optional<String> state = lockKey(connection, id);
          if (state.isEmpty()) {
            return new KeyUpdate.UnknownKey();
          }
          return state.get().equals("revoked") ? new KeyUpdate.Revoked() : rotate(connection, id);
        });
  }

  /** Rotates a key that is not revoked and whose row the caller's transaction locks. */
  public static KeyUpdate.Replaced rotate(Connection connection, KeyId id) throws SQLException {
    ApiKeyText.ValidKey secret = ApiKeyText.generate(RANDOM);
    try (PreparedStatement insert =
        connection.prepareStatement(
            """
            INSERT INTO api_key (id, org_id, name, hash, last_four, state, expires_at,
              allowed_models, allowed_modalities, allowed_ips,
              requests_per_second, requests_per_minute, tokens_per_minute, concurrency,
              daily_budget_micro, monthly_budget_micro, lineage, created_by, note)
            SELECT ?, org_id, name, ?, ?, state, expires_at,
              allowed_models, allowed_modalities, allowed_ips,
              requests_per_second, requests_per_minute, tokens_per_minute, concurrency,
              daily_budget_micro, monthly_budget_micro, coalesce(lineage, id), created_by, note
              FROM api_key WHERE id = ?""")) {
      insert.setString(1, secret.keyId().value());
      insert.setBytes(2, secret.hash().bytes());
      insert.setString(3, secret.lastFour());
      insert.setString(4, id.value());
      insert.executeUpdate();
    }
    try (PreparedStatement revoke =
        connection.prepareStatement(
            "UPDATE api_key SET state = 'revoked', revoked_at = now(), replaced_by = ?"
                + " WHERE id = ?")) {
      revoke.setString(1, secret.keyId().value());
      revoke.setString(2, id.value());
      revoke.executeUpdate();
    }
    return new KeyUpdate.Replaced(find(connection, secret.keyId()).orElseThrow(), secret);
  }

  /** Inserts an active key that replaces none. */
  static StoredKey insert(
      Connection connection, OrgId org, ApiKeySpec spec, Origin origin, ApiKeyText.ValidKey secret)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            """
            INSERT INTO api_key (id, org_id, name, hash, last_four, expires_at,
              allowed_models, allowed_modalities, allowed_ips,
              requests_per_second, requests_per_minute, tokens_per_minute, concurrency,
              daily_budget_micro, monthly_budget_micro, created_by, note)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""")) {
      insert.setString(1, secret.keyId().value());
      insert.setObject(2, org.value());
      insert.setString(3, spec.name());
      insert.setBytes(4, secret.hash().bytes());
      insert.setString(5, secret.lastFour());
      setSpec(insert, 6, spec);
      insert.setString(16, origin.createdBy());
      insert.setString(17, origin.note());
      insert.executeUpdate();
    }
    return find(connection, secret.keyId()).orElseThrow();
  }

  /** Changes the name, scope, limits, budgets and expiry of a key that is not revoked. */
  public KeyUpdate set(KeyId id, UnaryOperator<ApiKeySpec> change) throws SQLException {
    return change(
        id,
        connection -> {
          StoredKey current = find(connection, id).orElseThrow();
          update(connection, id, change.apply(current.spec()), current.note());
        });
  }

  /** Changes a key that is not revoked and whose row the caller's transaction locks. */
  public static void update(Connection connection, KeyId id, ApiKeySpec spec, @Nullable String note)
      throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            """
            UPDATE api_key SET name = ?, expires_at = ?,
              allowed_models = ?, allowed_modalities = ?, allowed_ips = ?,
              requests_per_second = ?, requests_per_minute = ?, tokens_per_minute = ?,
              concurrency = ?, daily_budget_micro = ?, monthly_budget_micro = ?, note = ?
            WHERE id = ?""")) {
      update.setString(1, spec.name());
      setSpec(update, 2, spec);
      update.setString(12, note);
      update.setString(13, id.value());
      update.executeUpdate();
    }
  }

  /** Sets the expiry, the scope, the limits and the budgets of a key: ten columns from one on. */
  private static void setSpec(PreparedStatement statement, int first, ApiKeySpec spec)
      throws SQLException {
    Instant expiresAt = spec.expiresAt();
    statement.setObject(first, expiresAt == null ? null : expiresAt.atOffset(ZoneOffset.UTC));
    setTexts(statement, first + 1, spec.scope().allowedModels());
    setTexts(statement, first + 2, spec.scope().allowedModalities());
    setTexts(statement, first + 3, spec.scope().allowedIps());
    KeyLimits limits = spec.limits();
    statement.setObject(first + 4, limits.requestsPerSecond());
    statement.setObject(first + 5, limits.requestsPerMinute());
    statement.setObject(first + 6, limits.tokensPerMinute());
    statement.setObject(first + 7, limits.concurrency());
    setMoney(statement, first + 8, limits.dailyBudget());
    setMoney(statement, first + 9, limits.monthlyBudget());
  }

  /** Change to a key whose row is locked. */
  private interface Update {
    void on(Connection connection) throws SQLException;
  }

  private KeyUpdate change(KeyId id, Update update) throws SQLException {
    return Transactions.run(
        pool,
        connection -> {
          Optional<String> state = lockKey(connection, id);
          if (state.isEmpty()) {
            return new KeyUpdate.UnknownKey();
          }
          if (state.get().equals("revoked")) {
            return new KeyUpdate.Revoked();
          }
          update.on(connection);
          return new KeyUpdate.Done(find(connection, id).orElseThrow());
        });
  }

  public static Optional<StoredKey> find(Connection connection, KeyId id) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(StoredKey.SELECT + " WHERE k.id = ?")) {
      select.setString(1, id.value());
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? Optional.of(StoredKey.read(row)) : Optional.empty();
      }
    }
  }

  private static Optional<String> lockKey(Connection connection, KeyId id) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT state FROM api_key WHERE id = ? FOR UPDATE")) {
      select.setString(1, id.value());
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
      }
    }
  }

  /** Two concurrent creations at the limit must not both succeed. */
  private static boolean lockOrg(Connection connection, OrgId org) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT 1 FROM organization WHERE id = ? FOR NO KEY UPDATE")) {
      select.setObject(1, org.value());
      try (ResultSet row = select.executeQuery()) {
        return row.next();
      }
    }
  }

  /** Returns the number of keys that are not revoked. */
  public static int count(Connection connection, OrgId org) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT count(*) FROM api_key WHERE org_id = ? AND state <> 'revoked'")) {
      select.setObject(1, org.value());
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  private static void setTexts(PreparedStatement statement, int index, Set<String> texts)
      throws SQLException {
    statement.setArray(
        index, statement.getConnection().createArrayOf("text", texts.stream().sorted().toArray()));
  }

  private static void setMoney(PreparedStatement statement, int index, @Nullable MicroUsd amount)
      throws SQLException {
    statement.setObject(index, amount == null ? null : amount.value());
  }
}
