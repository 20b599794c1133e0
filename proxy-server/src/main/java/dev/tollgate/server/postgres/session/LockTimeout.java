package dev.tollgate.server.postgres.session;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.BaseCallback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/**
 * Flyway callback that sets {@code lock_timeout} for each migration, because statements of other
 * sessions queue behind one that waits for a lock. A migration that makes an index concurrently
 * waits for as long as it takes, as nothing queues behind that.
 */
final class LockTimeout extends BaseCallback {
  /** File name suffix of migrations that make an index concurrently, outside of a transaction. */
  static final String CONCURRENTLY = "_concurrently.sql";

  private static final String NOT_IN_TIME = "55P03";

  @Override
  public boolean supports(Event event, Context context) {
    return event == Event.BEFORE_EACH_MIGRATE;
  }

  @Override
  public void handle(Event event, Context context) {
    String script = Objects.requireNonNull(context.getMigrationInfo()).getScript();
    String timeout = script.endsWith(CONCURRENTLY) ? "0" : "2s";
    try (Statement statement = context.getConnection().createStatement()) {
      statement.execute("SET lock_timeout = '" + timeout + "'");
    } catch (SQLException e) {
      throw new FlywayException("cannot set lock_timeout", e);
    }
  }

  /** Returns true if a migration failed because it did not get a lock in time. */
  static boolean failed(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && NOT_IN_TIME.equals(sql.getSQLState())) {
        return true;
      }
    }
    return false;
  }
}
