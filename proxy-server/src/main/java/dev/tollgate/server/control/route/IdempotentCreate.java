package dev.tollgate.server.control.route;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.Refused;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

/**
 * Claim of the idempotency key of one creating call, in table {@code control_idempotency}. It needs
 * no lease: a duplicate waits for the row of the call before, which is committed with its change or
 * not at all.
 */
public final class IdempotentCreate implements IdempotencyClaim {
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  /** Members that let a reader act. */
  private static final List<String> SECRETS = List.of("secret", "invite_url");

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

  private final String actor;
  private final RouteSpec route;
  private final String key;
  private final byte[] bodySha256;

  /**
   * @param actor the principal, to which keys belong
   * @param path the call's path, which names the organization
   */
  public IdempotentCreate(String actor, RouteSpec route, String key, String path, byte[] body) {
    this.actor = actor;
    this.route = route;
    this.key = key;
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      sha256.update((path + "\n").getBytes(StandardCharsets.UTF_8));
      this.bodySha256 = sha256.digest(body);
    } catch (NoSuchAlgorithmException e) {
      throw new LinkageError("every JDK has SHA-256", e);
    }
  }

  /** Thrown to answer with the reply of an earlier call with the same key. */
  public static final class Replayed extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final transient JsonNode reply;

    Replayed(int status, JsonNode reply) {
      super("replayed", null, false, false);
      this.status = status;
      this.reply = reply;
    }

    public int status() {
      return status;
    }

    public JsonNode reply() {
      return reply;
    }
  }

  @Override
  public void begin(Connection connection) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      name(insert, 1);
      insert.setBytes(4, bodySha256);
      if (insert.executeUpdate() == 0) {
        replay(connection);
      }
    } catch (SQLException e) {
      if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
        throw new Refused(
            conflict("A call with this Idempotency-Key is being answered.").withRetryAfter(1));
      }
      throw e;
    }
  }

  private void replay(Connection connection) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(SELECT)) {
      name(select, 1);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) { // it expired in this moment
          throw new Refused(conflict("The Idempotency-Key has just expired.").withRetryAfter(1));
        }
        if (!Arrays.equals(row.getBytes("body_sha256"), bodySha256)) {
          throw new Refused(conflict("The Idempotency-Key belongs to another request."));
        }
        String reply = row.getString("response");
        throw new Replayed(
            row.getInt("status"), ControlJson.parse(reply.getBytes(StandardCharsets.UTF_8)));
      }
    }
  }

  @Override
  public void complete(Connection connection, Object result, Effect effect) throws SQLException {
    JsonNode reply = ControlJson.tree(result);
    dropSecrets(reply);
    try (PreparedStatement update = connection.prepareStatement(COMPLETE)) {
      update.setInt(
          1,
          switch (effect) {
            case CREATED -> route.status();
            case FOUND -> RouteSpec.FOUND;
          });
      update.setString(2, reply.toString());
      name(update, 3);
      update.executeUpdate();
    }
  }

  private static void dropSecrets(JsonNode node) {
    if (node instanceof ObjectNode object) {
      for (String member : SECRETS) {
        if (object.path(member).isTextual()) {
          object.putNull(member);
          object.put("secret_shown", true);
        }
      }
    }
    node.forEach(IdempotentCreate::dropSecrets);
  }

  private void name(PreparedStatement statement, int first) throws SQLException {
    statement.setString(first, actor);
    statement.setString(first + 1, route.name());
    statement.setString(first + 2, key);
  }

  private static Fault conflict(String message) {
    return Fault.of(ErrorCode.IDEMPOTENCY_CONFLICT, message);
  }
}
