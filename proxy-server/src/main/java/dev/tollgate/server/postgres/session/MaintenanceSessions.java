package dev.tollgate.server.postgres.session;

import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Data source of unpooled sessions for long statements, such as the sums of a large day. Keepalives
 * on both sides end a session whose peer is gone, so that it does not hold a lock or a snapshot for
 * hours.
 */
public final class MaintenanceSessions {
  private static final Duration ONE_STATEMENT_MAX = Duration.ofMinutes(30);
  private static final String SESSION =
      "SET tcp_user_timeout = '30s';"
          + "SET client_connection_check_interval = '5s';"
          + "SET idle_in_transaction_session_timeout = '60s'";

  private MaintenanceSessions() {}

  public static DataSource dataSource(DatabaseAddress address) {
    var source = new Sessions();
    Migrations.configure(source, address);
    source.setSocketTimeout((int) ONE_STATEMENT_MAX.toSeconds());
    return source;
  }

  private static final class Sessions extends PGSimpleDataSource {
    private static final long serialVersionUID = 1;

    @Override
    public Connection getConnection() throws SQLException {
      Connection connection = super.getConnection();
      try (Statement statement = connection.createStatement()) {
        statement.execute(SESSION);
        return connection;
      } catch (SQLException e) {
        connection.close();
        throw e;
      }
    }
  }
}
