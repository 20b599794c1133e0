package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/** Idempotency store whose state changes a test can block. */
final class BlockedIdempotencyStore implements AutoCloseable {
  private static final long LOCK = 9_200_471;

  private final Connection connection;
  private int holds;

  private BlockedIdempotencyStore(Connection connection) {
    this.connection = connection;
  }

  static BlockedIdempotencyStore at(NodeFolder home) throws IOException, SQLException {
    Map<String, String> store = new HashMap<>();
    for (String setting : home.storeSettings()) {
      int equals = setting.indexOf('=');
      store.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    var held =
        new BlockedIdempotencyStore(
            DriverManager.getConnection(
                store.get("store.url") + "?currentSchema=tollgate",
                store.get("store.username"),
                store.get("store.password")));
    held.execute("SELECT pg_advisory_lock(" + LOCK + ")");
    held.execute(
        "CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS"
            + " $$ BEGIN PERFORM pg_advisory_xact_lock_shared("
            + LOCK
            + "); RETURN NEW; END $$");
    return held;
  }

  /** Blocks every session that brings the submission of a key to this state. */
  void hold(String key, String state) throws SQLException {
    holds++;
    execute(
        "CREATE TRIGGER held%d BEFORE INSERT OR UPDATE ON idempotency FOR EACH ROW".formatted(holds)
            + " WHEN (NEW.key = '%s' AND NEW.state = '%s') EXECUTE FUNCTION held()"
                .formatted(key, state));
  }

  /** Waits until this many sessions are blocked. */
  void awaitHeld(int count) throws SQLException {
    long began = System.nanoTime();
    while (waiting() != count) {
      assertThat(System.nanoTime() - began).as("held, not %d", count).isLessThan(20_000_000_000L);
    }
  }

  private int waiting() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                    + " AND database = (SELECT oid FROM pg_database WHERE datname ="
                    + " current_database())"
                    + " AND ((classid::bigint << 32) | objid::bigint) = "
                    + LOCK)) {
      row.next();
      return row.getInt(1);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() throws SQLException {
    execute("SELECT pg_advisory_unlock(" + LOCK + ")");
    execute("DROP FUNCTION held() CASCADE");
    connection.close();
  }
}
