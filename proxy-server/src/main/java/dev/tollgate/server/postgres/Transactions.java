package dev.tollgate.server.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Runs a piece of work in one transaction: committed if it returns, rolled back if it throws. */
final class Transactions {
  private Transactions() {}

  /** Statements that belong together. */
  interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  static <T> T run(DataSource pool, Work<T> work) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return run(connection, work);
    }
  }

  static <T> T run(Connection connection, Work<T> work) throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(false);
    try {
      T result = work.run(connection);
      connection.commit();
      return result;
    } catch (SQLException | RuntimeException | Error e) {
      rollBack(connection, e);
      throw e;
    } finally {
      connection.setAutoCommit(autoCommit);
    }
  }

  private static void rollBack(Connection connection, Throwable cause) {
    try {
      connection.rollback();
    } catch (SQLException alsoFailed) {
      cause.addSuppressed(alsoFailed);
    }
  }
}
