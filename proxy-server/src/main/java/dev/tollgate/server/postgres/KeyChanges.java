package dev.tollgate.server.postgres;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads, poll by poll, which keys changed since the poll before; whoever caches keys drops them.
 * Blocking, and for one thread.
 */
public final class KeyChanges {
  private final DataSource pool;
  private @Nullable Mark last;

  /**
   * How far was read, and in which table: an import puts another one in its place, whose numbers
   * have nothing to do with those of the one before.
   */
  private record Mark(long rev, String table) {}

  KeyChanges(DataSource pool) {
    this.pool = pool;
  }

  /** What one poll brought. */
  public sealed interface Poll {
    /** Whether something may have changed since the poll before. */
    default boolean isNews() {
      return true;
    }

    /** These keys and all keys of these organizations; mostly none. */
    record Changed(Set<KeyId> keys, Set<OrgId> orgs) implements Poll {
      @Override
      public boolean isNews() {
        return !keys.isEmpty() || !orgs.isEmpty();
      }
    }

    /**
     * Nothing is known of what happened before: the first poll, or the database went back in time,
     * or an import replaced what it held.
     */
    record Anything() implements Poll {}

    /** The database could not be asked; the next poll makes up for it. */
    record Failed(String reason) implements Poll {}
  }

  /** Asks for everything since the last poll that succeeded. */
  public Poll poll() {
    try (Connection connection = pool.getConnection()) {
      Mark newest = newest(connection);
      Mark before = last;
      if (before == null || !newest.table().equals(before.table()) || newest.rev() < before.rev()) {
        last = newest;
        return new Poll.Anything();
      }
      Poll changed = changed(connection, before.rev(), newest.rev());
      last = newest;
      return changed;
    } catch (SQLException e) {
      return new Poll.Failed("poll of key changes failed: " + e.getMessage());
    }
  }

  private static Poll changed(Connection connection, long last, long newest) throws SQLException {
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
    return new Poll.Changed(Set.copyOf(keys), Set.copyOf(orgs));
  }

  private static Mark newest(Connection connection) throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement(
                """
                SELECT coalesce(max(rev), 0),
                       'key_change'::regclass::oid || '/' || pg_relation_filenode('key_change')
                  FROM key_change""");
        ResultSet row = select.executeQuery()) {
      row.next();
      return new Mark(row.getLong(1), row.getString(2));
    }
  }
}
