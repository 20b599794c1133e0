package dev.tollgate.server.postgres.session;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Check of the schema floor, the lowest migration that a node must know to use the store. A
 * contract migration raises it, as a node that does not know what became of its tables must not
 * write to them.
 */
public final class SchemaFloor {
  private final DataSource pool;
  private volatile Optional<String> obstacle = Optional.empty();

  public SchemaFloor(DataSource pool) {
    this.pool = pool;
  }

  /** Reads the floor again; if the database does not answer, the last result stays. Blocks. */
  public void read() {
    try (Connection connection = pool.getConnection()) {
      Optional<String> now = refusal(connection);
      if (now.isPresent() && obstacle.isEmpty()) {
        log().error("{}; this node takes no further requests", now.get());
      }
      obstacle = now;
    } catch (SQLException e) {
      log().debug("the schema floor cannot be read", e);
    }
  }

  /** Returns why this node must not use the store, as of the last reading; empty while it may. */
  public Optional<String> obstacle() {
    return obstacle;
  }

  /** Returns why this version must not use the store; empty if it may. */
  public static Optional<String> refusal(Connection connection) throws SQLException {
    int known = Integer.parseInt(Migrations.LATEST);
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT min_migration FROM " + Migrations.SCHEMA + ".schema_floor")) {
      if (!row.next() || row.getInt(1) <= known) {
        return Optional.empty();
      }
      return Optional.of(
          "the store needs a Tollgate that knows schema version %d, and this one knows %d"
              .formatted(row.getInt(1), known));
    }
  }

  /** Returns true if the schema has a floor, as every one since the first release has. */
  public static boolean exists(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT to_regclass('" + Migrations.SCHEMA + ".schema_floor') IS NOT NULL")) {
      row.next();
      return row.getBoolean(1);
    }
  }

  /** Returns the log, which takes longer to load than most commands run. */
  private static Logger log() {
    return LoggerFactory.getLogger(SchemaFloor.class);
  }
}
