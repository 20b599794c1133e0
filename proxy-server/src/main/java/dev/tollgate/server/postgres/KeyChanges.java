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

/**
 * Reads, poll by poll, which keys changed since the poll before; whoever caches keys drops them.
 * Blocking, and for one thread.
 */
public final class KeyChanges {
  private static final long NEVER_READ = -1;

  private final DataSource pool;
  private long last = NEVER_READ;

  KeyChanges(DataSource pool) {
    this.pool = pool;
  }

  /** What one poll brought. */
  public sealed interface Poll {
    /** These keys and all keys of these organizations; mostly none. */
    record Changed(Set<KeyId> keys, Set<OrgId> orgs) implements Poll {}

    /**
     * Nothing is known of what happened before: the first poll, or the database went back in time.
     */
    record Anything() implements Poll {}

    /** The database could not be asked; the next poll makes up for it. */
    record Failed(String reason) implements Poll {}
  }

  /** Asks for everything since the last poll that succeeded. */
  public Poll poll() {
    try (Connection connection = pool.getConnection()) {
      long newest = newest(connection);
      if (last == NEVER_READ || newest < last) {
        last = newest;
        return new Poll.Anything();
      }
      return changed(connection, newest);
    } catch (SQLException e) {
      return new Poll.Failed("poll of key changes failed: " + e.getMessage());
    }
  }

  private Poll changed(Connection connection, long newest) throws SQLException {
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
      last = newest;
    }
    return new Poll.Changed(Set.copyOf(keys), Set.copyOf(orgs));
  }

  private static long newest(Connection connection) throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement("SELECT coalesce(max(rev), 0) FROM key_change");
        ResultSet row = select.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }
}
