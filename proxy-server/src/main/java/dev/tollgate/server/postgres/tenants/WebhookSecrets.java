package dev.tollgate.server.postgres.tenants;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import dev.tollgate.server.postgres.tenants.Seal.StoredSecret;
import dev.tollgate.server.postgres.tenants.Seal.UnsealResult;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * DAO of the secrets that sign an organization's webhooks: display, rotation, and sealing with the
 * first master key.
 */
public final class WebhookSecrets {
  private static final int SECRET_BYTES = 32;
  private static final int PORTION = 500;

  /** A row that changed during a pass is visited again in the next one. */
  private static final int PASSES_MAX = 3;

  private static final UUID LOWEST_ID = new UUID(0, 0);

  private static final String SELECT =
      """
      SELECT id, name, webhook_secret, webhook_secret_key, webhook_secret_before,
             webhook_secret_before_key
        FROM organization
      """;

  private static final String BY_NAME_OR_ID = SELECT + " WHERE name = ? OR id::text = ?";

  /**
   * Secrets that are not sealed with the first master key, ordered by id, so that a pass gets
   * beyond those that cannot be sealed.
   */
  private static final String SELECT_OUTDATED =
      """
      SELECT id, name, webhook_secret, webhook_secret_key, webhook_secret_before,
             webhook_secret_before_key
        FROM organization
       WHERE id > ?
         AND CASE WHEN ? THEN webhook_secret_key IS NULL
                              OR webhook_secret_before IS NOT NULL
                                 AND webhook_secret_before_key IS NULL
                         ELSE webhook_secret_key IS DISTINCT FROM ?
                              OR webhook_secret_before IS NOT NULL
                                 AND webhook_secret_before_key IS DISTINCT FROM ? END
       ORDER BY id LIMIT ?
      """;

  /** A concurrent change of a secret has sealed it too. */
  private static final String COMPARE_AND_SET =
      """
      UPDATE organization
         SET webhook_secret = ?, webhook_secret_key = ?,
             webhook_secret_before = ?, webhook_secret_before_key = ?
       WHERE id = ? AND webhook_secret = ? AND webhook_secret_before IS NOT DISTINCT FROM ?
      """;

  private final DataSource pool;
  private final Seal seal;

  public WebhookSecrets(DataSource pool, Seal seal) {
    this.pool = pool;
    this.seal = seal;
  }

  /** Row of an organization's present and previous webhook secret. */
  private record Row(OrgId org, String name, StoredSecret present, @Nullable StoredSecret before) {
    static Row of(ResultSet row) throws SQLException {
      byte[] before = row.getBytes("webhook_secret_before");
      return new Row(
          new OrgId(row.getObject("id", UUID.class)),
          row.getString("name"),
          new StoredSecret(row.getBytes("webhook_secret"), row.getString("webhook_secret_key")),
          before == null
              ? null
              : new StoredSecret(before, row.getString("webhook_secret_before_key")));
    }
  }

  /** True if a master key is configured. */
  public boolean isSealingEnabled() {
    return seal.activeKeyId().isPresent();
  }

  static byte[] make() {
    byte[] secret = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(secret);
    return secret;
  }

  /**
   * Returns the secret that signs an organization's webhooks; empty if the organization does not
   * exist.
   */
  public Optional<UnsealResult> of(String nameOrId) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return named(connection, nameOrId, BY_NAME_OR_ID)
          .map(row -> seal.open(row.org(), row.present()));
    }
  }

  /** The same in the caller's transaction. */
  public Optional<UnsealResult> of(Connection connection, OrgId org) throws SQLException {
    return byId(connection, org, "").map(row -> seal.open(row.org(), row.present()));
  }

  /** Rotates in the caller's transaction. */
  public Optional<UnsealResult> rotate(Connection connection, OrgId org, Duration keep)
      throws SQLException {
    Optional<Row> found = byId(connection, org, " FOR NO KEY UPDATE");
    return found.isEmpty() ? Optional.empty() : Optional.of(rotate(connection, found.get(), keep));
  }

  private static Optional<Row> byId(Connection connection, OrgId org, String lock)
      throws SQLException {
    return Statements.first(connection, SELECT + " WHERE id = ?" + lock, Row::of, org.value());
  }

  /**
   * Creates a new secret and returns it, or the reason why the old one cannot be kept: then nothing
   * changed.
   *
   * @param keep time for which the old secret signs too, for receivers without the new one
   */
  public Optional<UnsealResult> rotate(String nameOrId, Duration keep) throws SQLException {
    return Transactions.run(
        pool,
        connection -> {
          Optional<Row> found = named(connection, nameOrId, BY_NAME_OR_ID + " FOR UPDATE");
          return found.isEmpty()
              ? Optional.empty()
              : Optional.of(rotate(connection, found.get(), keep));
        });
  }

  private UnsealResult rotate(Connection connection, Row row, Duration keep) throws SQLException {
    StoredSecret before = null;
    if (keep.isPositive()) {
      UnsealResult old = seal.open(row.org(), row.present());
      if (!(old instanceof UnsealResult.Opened(byte[] bytes))) {
        return old;
      }
      before = seal.seal(row.org(), bytes);
    }
    byte[] made = make();
    StoredSecret present = seal.seal(row.org(), made);
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE organization SET webhook_secret_at = ledger_now(), webhook_secret = ?,"
                + " webhook_secret_key = ?,"
                + " webhook_secret_before = ?, webhook_secret_before_key = ?,"
                + " webhook_secret_before_until = ledger_now() + make_interval(secs => ?)"
                + " WHERE id = ?")) {
      set(update, present, before);
      update.setObject(5, before == null ? null : (double) keep.toSeconds());
      update.setObject(6, row.org().value());
      update.executeUpdate();
    }
    return new UnsealResult.Opened(made);
  }

  private static Optional<Row> named(Connection connection, String nameOrId, String sql)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setString(1, nameOrId);
      select.setString(2, nameOrId);
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? Optional.of(Row.of(row)) : Optional.empty();
      }
    }
  }

  private static void set(
      PreparedStatement update, StoredSecret present, @Nullable StoredSecret before)
      throws SQLException {
    update.setBytes(1, present.bytes());
    update.setString(2, present.key());
    update.setBytes(3, before == null ? null : before.bytes());
    update.setString(4, before == null ? null : before.key());
  }

  /**
   * Result of sealing all organizations' secrets.
   *
   * @param organizations organizations whose secrets were sealed with this key now
   * @param locked organizations whose secrets could not be opened, by name
   */
  public record SealSummary(int organizations, List<LockedSecret> locked) {}

  /** Organization whose secrets cannot be opened. */
  public record LockedSecret(String organization, UnsealResult why) {}

  /**
   * Seals all secrets with the first master key. For an operator, once no node seals with another
   * key: nodes with different keys would undo each other's work.
   */
  public SealSummary sealAll() throws SQLException {
    return sealMatching(false);
  }

  /** Seals unsealed secrets, which no other node ever unseals. */
  public SealSummary sealClear() throws SQLException {
    return sealMatching(true);
  }

  private SealSummary sealMatching(boolean onlyClear) throws SQLException {
    Optional<String> first = seal.activeKeyId();
    if (first.isEmpty()) {
      return new SealSummary(0, List.of());
    }
    int sealed = 0;
    Pass last = new Pass(0, 1, List.of());
    for (int n = 0; n < PASSES_MAX && last.missed() > 0; n++) {
      last = pass(onlyClear, first.get());
      sealed += last.sealed();
    }
    return new SealSummary(sealed, last.locked());
  }

  /**
   * Result of one sealing pass over all organizations.
   *
   * @param missed organizations whose secrets changed concurrently
   */
  private record Pass(int sealed, int missed, List<LockedSecret> locked) {}

  private Pass pass(boolean onlyClear, String first) throws SQLException {
    List<LockedSecret> locked = new ArrayList<>();
    int sealed = 0;
    int missed = 0;
    List<Row> portion;
    UUID after = LOWEST_ID;
    do {
      portion = portion(after, onlyClear, first);
      for (Row row : portion) {
        Resealed resealed = reseal(row, locked);
        if (!resealed.isNothing()) {
          boolean isSet = set(row, resealed);
          sealed += isSet ? 1 : 0;
          missed += isSet ? 0 : 1;
        }
        after = row.org().value();
      }
    } while (portion.size() == PORTION);
    return new Pass(sealed, missed, locked);
  }

  private List<Row> portion(UUID after, boolean onlyClear, String first) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement select = connection.prepareStatement(SELECT_OUTDATED)) {
      select.setObject(1, after);
      select.setBoolean(2, onlyClear);
      select.setString(3, first);
      select.setString(4, first);
      select.setInt(5, PORTION);
      List<Row> rows = new ArrayList<>();
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          rows.add(Row.of(row));
        }
      }
      return rows;
    }
  }

  /**
   * Secrets of a row that could be sealed again; one that cannot be opened does not affect the
   * other.
   */
  private record Resealed(Optional<StoredSecret> present, Optional<StoredSecret> before) {
    boolean isNothing() {
      return present.isEmpty() && before.isEmpty();
    }
  }

  private Resealed reseal(Row row, List<LockedSecret> locked) {
    StoredSecret before = row.before();
    return new Resealed(
        reseal(row, row.present(), locked),
        before == null ? Optional.empty() : reseal(row, before, locked));
  }

  private boolean set(Row row, Resealed resealed) throws SQLException {
    StoredSecret before = row.before();
    try (Connection connection = pool.getConnection();
        PreparedStatement update = connection.prepareStatement(COMPARE_AND_SET)) {
      set(update, resealed.present().orElse(row.present()), resealed.before().orElse(before));
      update.setObject(5, row.org().value());
      update.setBytes(6, row.present().bytes());
      update.setBytes(7, before == null ? null : before.bytes());
      return update.executeUpdate() == 1;
    }
  }

  private Optional<StoredSecret> reseal(Row row, StoredSecret stored, List<LockedSecret> locked) {
    return switch (seal.open(row.org(), stored)) {
      case UnsealResult.Opened(byte[] secret) -> Optional.of(seal.seal(row.org(), secret));
      case UnsealResult.KeyMissing missing -> {
        locked.add(new LockedSecret(row.name(), missing));
        yield Optional.empty();
      }
      case UnsealResult.Damaged damaged -> {
        locked.add(new LockedSecret(row.name(), damaged));
        yield Optional.empty();
      }
    };
  }

  /**
   * Number of secrets sealed with a master key.
   *
   * @param key null means not sealed
   * @param isKnown true if this process can open them
   */
  public record SecretsByKey(@Nullable String key, long secrets, boolean isKnown) {}

  /** Returns the number of secrets by master key, over all organizations. */
  public List<SecretsByKey> shares() throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT key, count(*) FROM (SELECT webhook_secret_key AS key FROM organization"
                    + " UNION ALL SELECT webhook_secret_before_key FROM organization"
                    + " WHERE webhook_secret_before IS NOT NULL) s GROUP BY key ORDER BY key");
        ResultSet row = select.executeQuery()) {
      List<SecretsByKey> shares = new ArrayList<>();
      while (row.next()) {
        String key = row.getString(1);
        shares.add(
            new SecretsByKey(key, row.getLong(2), key == null || seal.keyIds().contains(key)));
      }
      return shares;
    }
  }
}
