package dev.tollgate.server.postgres.tenants;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Query of the API keys changed since its previous call, which caches must drop. Calls block and
 * come from one thread.
 */
public final class KeyChanges {
  private static final int IDS_PER_FETCH = 10_000;

  private final DataSource pool;
  private @Nullable ChangeCursor last;

  /**
   * Position of the last poll in the table of changes, with the table's identity: an import
   * replaces the table, and with it the numbering.
   */
  private record ChangeCursor(long rev, String table) {}

  public KeyChanges(DataSource pool) {
    this.pool = pool;
  }

  /** Result of one poll for changed keys. */
  public sealed interface PollResult {
    /** True if something may have changed since the previous poll. */
    default boolean hasChanges() {
      return true;
    }

    /** Changed keys, and organizations of which all keys changed; usually empty. */
    record Changed(Set<KeyId> keys, Set<OrgId> orgs) implements PollResult {
      @Override
      public boolean hasChanges() {
        return !keys.isEmpty() || !orgs.isEmpty();
      }
    }

    /** Earlier changes are unknown: the first poll, a rollback of the database, or an import. */
    record EverythingChanged() implements PollResult {}

    /** The database could not be queried; the next poll catches up. */
    record Failed(String reason) implements PollResult {}
  }

  /** Returns all changes since the last successful poll. */
  public PollResult poll() {
    try (Connection connection = pool.getConnection()) {
      ChangeCursor newest = newest(connection);
      ChangeCursor before = last;
      if (before == null || !newest.table().equals(before.table()) || newest.rev() < before.rev()) {
        last = newest;
        return new PollResult.EverythingChanged();
      }
      PollResult changed = changed(connection, before.rev(), newest.rev());
      last = newest;
      return changed;
    } catch (SQLException e) {
      return new PollResult.Failed("poll of key changes failed: " + e.getMessage());
    }
  }

  /** Reads the ids of all keys of the store, in whatever state they are; returns how many. */
  public int readIds(Consumer<KeyId> each) throws SQLException {
    return Transactions.run(pool, connection -> readIds(connection, each));
  }

  private static int readIds(Connection connection, Consumer<KeyId> each) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement("SELECT id FROM api_key")) {
      select.setFetchSize(IDS_PER_FETCH);
      try (ResultSet row = select.executeQuery()) {
        int count = 0;
        while (row.next()) {
          each.accept(new KeyId(row.getString(1)));
          count++;
        }
        return count;
      }
    }
  }

  private static PollResult changed(Connection connection, long last, long newest)
      throws SQLException {
    Set<KeyId> keys = new HashSet<>();
    Set<OrgId> orgs = new HashSet<>();
    if (newest > last) {
      try (PreparedStatement select =
          connection.prepareStatement(
              "SELECT DISTINCT key_id, org_id FROM key_change WHERE rev > ? AND rev <= ?")) {
        select.setLong(1, last);
        select.setLong(2, newest);
        try (ResultSet row = select.executeQuery()) {
          while (row.next()) {
            String key = row.getString(1);
            if (key != null) {
              keys.add(new KeyId(key));
            } else {
              orgs.add(new OrgId(row.getObject(2, UUID.class)));
            }
          }
        }
      }
    }
    return new PollResult.Changed(Set.copyOf(keys), Set.copyOf(orgs));
  }

  private static ChangeCursor newest(Connection connection) throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement(
                """
                SELECT coalesce(max(rev), 0),
                       'key_change'::regclass::oid || '/' || pg_relation_filenode('key_change')
                  FROM key_change""");
        ResultSet row = select.executeQuery()) {
      row.next();
      return new ChangeCursor(row.getLong(1), row.getString(2));
    }
  }
}
