package dev.tollgate.server.account.signin;

import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.WireName;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * DAO of the secrets in links, each of which works once. A new one for the same purpose and person
 * replaces the one before.
 */
final class OneTimeTokens {
  private OneTimeTokens() {}

  /** What a link is for, and how long it works. */
  enum Purpose implements WireName {
    VERIFY_EMAIL(Duration.ofHours(24)),
    CHANGE_EMAIL(Duration.ofHours(1)),
    RESET_PASSWORD(Duration.ofMinutes(30));

    private final Duration lifetime;

    Purpose(Duration lifetime) {
      this.lifetime = lifetime;
    }
  }

  /** Valid token: whose it is, and what else it carries. */
  record Found(UserId user, String payload) {}

  static RandomSecret make(Connection connection, Purpose purpose, UserId user, String payload)
      throws SQLException {
    RandomSecret secret = RandomSecret.generate();
    deleteAll(connection, purpose, user);
    Statements.update(
        connection,
        """
        INSERT INTO one_time_token (token_hash, purpose, user_id, payload, expires_at)
        VALUES (?, ?, ?, ?, ledger_now() + make_interval(secs => ?))""",
        secret.hash(),
        purpose.wire(),
        user.value(),
        payload,
        purpose.lifetime.toMillis() / 1e3);
    return secret;
  }

  /** Returns a valid token without using it. */
  static Optional<Found> find(Connection connection, Purpose purpose, String token)
      throws SQLException {
    return query(
        connection,
        "SELECT user_id, payload FROM one_time_token WHERE token_hash = ? AND purpose = ?"
            + " AND used_at IS NULL AND expires_at > ledger_now()",
        purpose,
        token);
  }

  /** Uses a token; of calls at the same time one gets it. */
  static Optional<Found> use(Connection connection, Purpose purpose, String token)
      throws SQLException {
    return query(
        connection,
        "UPDATE one_time_token SET used_at = ledger_now() WHERE token_hash = ? AND purpose = ?"
            + " AND used_at IS NULL AND expires_at > ledger_now() RETURNING user_id, payload",
        purpose,
        token);
  }

  /**
   * Uses a token.
   *
   * @throws Refused 400 if it is unknown, used, replaced or expired
   */
  static Found require(Connection connection, Purpose purpose, String token) throws SQLException {
    return use(connection, purpose, token).orElseThrow(OneTimeTokens::refused);
  }

  /** Returns the refusal of a link that is unknown, used, replaced or expired. */
  static Refused refused() {
    return Refused.invalid("token", RefusalReason.LINK_USED_OR_EXPIRED);
  }

  static void deleteAll(Connection connection, Purpose purpose, UserId user) throws SQLException {
    Statements.update(
        connection,
        "DELETE FROM one_time_token WHERE user_id = ? AND purpose = ?",
        user.value(),
        purpose.wire());
  }

  private static Optional<Found> query(
      Connection connection, String sql, Purpose purpose, String token) throws SQLException {
    return Statements.first(
        connection,
        sql,
        row ->
            new Found(new UserId(row.getObject("user_id", UUID.class)), row.getString("payload")),
        RandomSecret.hash(token),
        purpose.wire());
  }
}
