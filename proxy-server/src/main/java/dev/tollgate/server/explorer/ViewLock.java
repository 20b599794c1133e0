package dev.tollgate.server.explorer;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Advisory lock of those who write the request view, which the functions that do acquire
 * themselves. It ends with the transaction that acquired it, so the nodes take turns and a dead one
 * keeps nothing.
 */
final class ViewLock {
  private static final long ADVISORY_LOCK = 7_455_835;

  private ViewLock() {}

  static boolean tryAcquire(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT pg_try_advisory_xact_lock(" + ADVISORY_LOCK + ")")) {
      row.next();
      return row.getBoolean(1);
    }
  }
}
