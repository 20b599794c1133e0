package dev.tollgate.server.postgres.tenants;

import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/**
 * Deletion of what people's accounts leave behind once it has been kept long enough, in portions,
 * and months of the audit log. Any number of nodes may run it; one at a time does.
 */
public final class AccountRetention {
  static final int ROWS_PER_STATEMENT = 1_000;
  private static final int AUDIT_DAYS_KEPT = 400;

  /** As all maintenance of the store. */
  private static final long LOCK = 7_455_833;

  private static final String LIVE_SESSIONS =
      """
      SELECT count(*) FROM user_session
       WHERE ended_at IS NULL AND expires_at > ledger_now()""";

  /** Tables, with what of each is over. */
  private static final List<Expired> EXPIRED =
      List.of(
          new Expired(
              "user_session", "least(ended_at, expires_at) < ledger_now() - interval '30 days'"),
          new Expired(
              "one_time_token", "least(used_at, expires_at) < ledger_now() - interval '1 day'"),
          // The longest window is a day, so a counter is over a day after its window's end.
          new Expired("sign_in_throttle", "since < ledger_now() - interval '2 days'"),
          new Expired(
              "invitation",
              "least(accepted_at, revoked_at, expires_at) < ledger_now() - interval '90 days'"),
          new Expired("control_idempotency", "at < ledger_now() - interval '24 hours'"),
          new Expired(
              "mail_outbox",
              "next_try_at = 'infinity' AND lease_until < ledger_now() - interval '7 days'"));

  private final DataSource source;

  /**
   * @param source connections with a statement timeout that suits deletions
   */
  public AccountRetention(DataSource source) {
    this.source = source;
  }

  private record Expired(String table, String condition) {
    String delete() {
      return "DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE %2$s LIMIT %3$d))"
          .formatted(table, condition, ROWS_PER_STATEMENT);
    }
  }

  /** Creates the running and the next month of the audit log. */
  public void createMonths() throws SQLException {
    try (Connection connection = source.getConnection()) {
      createMonths(connection);
    }
  }

  public static void createMonths(Connection connection) throws SQLException {
    try (PreparedStatement make = connection.prepareStatement("SELECT audit_months()")) {
      make.execute();
    }
  }

  /** Deletes what is over, and drops old months of the audit log; returns how many rows. */
  public int deleteExpired() throws SQLException {
    int deleted = 0;
    try (Connection connection = source.getConnection()) {
      for (Expired each : EXPIRED) {
        int portion = portion(connection, each);
        while (portion == ROWS_PER_STATEMENT) {
          deleted += portion;
          portion = portion(connection, each);
        }
        deleted += portion;
      }
      try (PreparedStatement drop = connection.prepareStatement("SELECT audit_drop_over(?)")) {
        drop.setInt(1, AUDIT_DAYS_KEPT);
        drop.execute();
      }
    }
    return deleted;
  }

  /** Returns the number of sessions that have not ended. */
  public long liveSessions() throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement select = connection.prepareStatement(LIVE_SESSIONS);
        ResultSet row = select.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  private static int portion(Connection connection, Expired expired) throws SQLException {
    return Transactions.run(
        connection, open -> hasLock(open) ? execute(open, expired.delete()) : 0);
  }

  private static boolean hasLock(Connection connection) throws SQLException {
    try (PreparedStatement lock =
            connection.prepareStatement("SELECT pg_try_advisory_xact_lock(" + LOCK + ")");
        ResultSet row = lock.executeQuery()) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private static int execute(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      return statement.executeUpdate();
    }
  }
}
