package dev.tollgate.server.control.route;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.IdempotencyRow;
import dev.tollgate.server.account.Refused;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

/**
 * Claim of the idempotency key of one creating call. It needs no lease: a duplicate waits for the
 * row of the call before, which is committed with its change or not at all.
 */
public final class IdempotentCreate implements IdempotencyClaim {
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  /** Members that let a reader act. */
  private static final List<String> SECRETS = List.of("secret", "invite_url");

  private final RouteSpec route;
  private final IdempotencyRow row;
  private final byte[] bodySha256;

  /**
   * @param actor the principal, to which keys belong
   * @param path the call's path, which names the organization
   */
  public IdempotentCreate(String actor, RouteSpec route, String key, String path, byte[] body) {
    this.route = route;
    this.row = new IdempotencyRow(actor, route.name(), key);
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
    try {
      if (!row.insert(connection, bodySha256)) {
        throw replayed(connection);
      }
    } catch (SQLException e) {
      if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
        throw new Refused(
            conflict("A call with this Idempotency-Key is being answered.").withRetryAfter(1));
      }
      throw e;
    }
  }

  private Replayed replayed(Connection connection) throws SQLException {
    IdempotencyRow.Stored stored = row.earlier(connection).orElse(null);
    if (stored == null) { // it expired in this moment
      throw new Refused(conflict("The Idempotency-Key has just expired.").withRetryAfter(1));
    }
    if (!Arrays.equals(stored.bodySha256(), bodySha256)) {
      throw new Refused(conflict("The Idempotency-Key belongs to another request."));
    }
    byte[] reply = stored.reply().getBytes(StandardCharsets.UTF_8);
    return new Replayed(stored.status(), ControlJson.parse(reply));
  }

  @Override
  public void complete(Connection connection, Object result, Effect effect) throws SQLException {
    JsonNode reply = ControlJson.tree(result);
    dropSecrets(reply);
    int status =
        switch (effect) {
          case CREATED -> route.status();
          case FOUND -> RouteSpec.FOUND;
        };
    row.complete(connection, status, reply.toString());
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

  private static Fault conflict(String message) {
    return Fault.of(ErrorCode.IDEMPOTENCY_CONFLICT, message);
  }
}
