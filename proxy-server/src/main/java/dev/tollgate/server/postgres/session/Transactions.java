package dev.tollgate.server.postgres.session;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runner of work in one database transaction: commits if the work returns, rolls back if it throws.
 */
public final class Transactions {
  private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);

  private Transactions() {}

  /** Work in one transaction, as statements on its connection. */
  public interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  public static <T> T run(DataSource pool, Work<T> work) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return run(connection, work);
    }
  }

  public static <T> T run(Connection connection, Work<T> work) throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(false);
    T result;
    try {
      result = work.run(connection);
      connection.commit();
    } catch (SQLException | RuntimeException | Error e) {
      attempt(e, connection::rollback);
      attempt(e, () -> connection.setAutoCommit(autoCommit));
      throw e;
    }
    endWith(connection, autoCommit);
    return result;
  }

  /** A committed transaction did not fail; a connection that broke since fails at its next use. */
  private static void endWith(Connection connection, boolean autoCommit) {
    try {
      connection.setAutoCommit(autoCommit);
    } catch (SQLException broken) {
      LOG.debug("a connection broke after its commit", broken);
    }
  }

  private interface Step {
    void run() throws SQLException;
  }

  /** If the connection broke, all further steps fail, which must not hide the cause. */
  private static void attempt(Throwable cause, Step step) {
    try {
      step.run();
    } catch (SQLException alsoFailed) {
      cause.addSuppressed(alsoFailed);
    }
  }
}
