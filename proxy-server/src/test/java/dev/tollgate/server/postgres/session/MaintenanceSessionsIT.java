package dev.tollgate.server.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.postgres.SharedPostgres;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.postgresql.ds.PGSimpleDataSource;

/** Long statements do not wait forever for a dead peer. */
@Execution(ExecutionMode.CONCURRENT)
class MaintenanceSessionsIT {
  @Test
  void neitherSideWaitsForHoursForTheOther() throws Exception {
    StoreOptions options = SharedPostgres.newDatabase();
    var address = new DatabaseAddress(options.url(), options.username(), options.password());
    var source = MaintenanceSessions.dataSource(address);
    assertThat(((PGSimpleDataSource) source).getSocketTimeout()).isEqualTo(1_800);
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      assertThat(shown(statement, "client_connection_check_interval")).isEqualTo("5s");
      assertThat(shown(statement, "idle_in_transaction_session_timeout")).isEqualTo("1min");
      assertThat(shown(statement, "statement_timeout")).as("large days").isEqualTo("0");
    }
  }

  private static String shown(Statement statement, String setting) throws SQLException {
    try (ResultSet row = statement.executeQuery("SHOW " + setting)) {
      row.next();
      return row.getString(1);
    }
  }
}
