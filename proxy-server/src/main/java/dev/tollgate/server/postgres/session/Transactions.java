package dev.tollgate.server.postgres.session;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runner of work in one database transaction: commits if the work returns, rolls back if it throws.
 */
public final class Transactions {
  /** Steps that wait for the commit of the transaction that this thread runs. */
  private static final ScopedValue<List<Runnable>> AFTER_COMMIT = ScopedValue.newInstance();

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
    List<Runnable> steps = new ArrayList<>(0);
    T result;
    try {
      result = ScopedValue.where(AFTER_COMMIT, steps).call(() -> work.run(connection));
      connection.commit();
    } catch (SQLException | RuntimeException | Error e) {
      attempt(e, connection::rollback);
      attempt(e, () -> connection.setAutoCommit(autoCommit));
      throw e;
    }
    endWith(connection, autoCommit);
    steps.forEach(Runnable::run);
    return result;
  }

  /**
   * Runs a step once the transaction that this thread runs is committed, and never if it is rolled
   * back. Without such a transaction it runs at once.
   *
   * @param step short, and must not fail
   */
  public static void afterCommit(Runnable step) {
    if (AFTER_COMMIT.isBound()) {
      AFTER_COMMIT.get().add(step);
    } else {
      step.run();
    }
  }

  /** A committed transaction did not fail; a connection that broke since fails at its next use. */
  private static void endWith(Connection connection, boolean autoCommit) {
    try {
      connection.setAutoCommit(autoCommit);
    } catch (SQLException broken) {
      log().debug("a connection broke after its commit", broken);
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

  /** Returns the log, which takes longer to load than most commands run. */
  private static Logger log() {
    return LoggerFactory.getLogger(Transactions.class);
  }
}
