package dev.tollgate.server.account;

import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Row of table {@code control_idempotency}: one creating call under its idempotency key.
 *
 * @param actor the principal, to which keys belong
 */
public record IdempotencyRow(String actor, String route, String key) {
  private static final String INSERT =
      """
      INSERT INTO control_idempotency (actor, route, key, body_sha256) VALUES (?, ?, ?, ?)
          ON CONFLICT DO NOTHING""";
  private static final String SELECT =
      """
      SELECT body_sha256, status, response FROM control_idempotency
       WHERE actor = ? AND route = ? AND key = ?""";
  private static final String COMPLETE =
      """
      UPDATE control_idempotency SET status = ?, response = ?
       WHERE actor = ? AND route = ? AND key = ?""";

  /** An earlier call with its reply as JSON. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  public record Stored(byte[] bodySha256, int status, String reply) {}

  /** Takes the key; false if an earlier call has it. */
  public boolean insert(Connection connection, byte[] bodySha256) throws SQLException {
    return Statements.update(connection, INSERT, actor, route, key, bodySha256) == 1;
  }

  public Optional<Stored> earlier(Connection connection) throws SQLException {
    return Statements.first(
        connection,
        SELECT,
        row ->
            new Stored(
                row.getBytes("body_sha256"), row.getInt("status"), row.getString("response")),
        actor,
        route,
        key);
  }

  public void complete(Connection connection, int status, String reply) throws SQLException {
    Statements.update(connection, COMPLETE, status, reply, actor, route, key);
  }
}
