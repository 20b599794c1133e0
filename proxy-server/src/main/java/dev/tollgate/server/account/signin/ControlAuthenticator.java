package dev.tollgate.server.account.signin;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.SessionId;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Authenticator of calls by session cookie or control token. It asks the store at each call with
 * one indexed query and keeps nothing, so what was taken away acts on the next call.
 */
public final class ControlAuthenticator {
  /** Time for which the old cookie of a renewed session works, for calls that are under way. */
  private static final int RENEWED_SECONDS = 30;

  private static final String SELECT =
      """
      SELECT s.id, s.user_id, s.proven_at, s.renew, s.ended_at IS NOT NULL AS has_ended,
             s.last_seen_at < ledger_now() - make_interval(secs => ?) AS is_seen_due,
             u.state, coalesce(u.email, '') AS email, u.name, u.is_operator
        FROM user_session s JOIN user_account u ON u.id = s.user_id
       WHERE s.token_hash = ? AND s.expires_at > ledger_now()
         AND s.last_seen_at > ledger_now() - make_interval(secs => ?)
         AND (s.ended_at IS NULL
              OR s.ended_why = 'renewed'
                 AND s.ended_at > ledger_now() - make_interval(secs => ?)
                 AND EXISTS (SELECT 1 FROM user_session f
                              WHERE f.id = s.followed_by AND f.ended_at IS NULL))""";

  private final DataSource pool;
  private final SessionOptions options;
  private final ControlTokens tokens;

  public ControlAuthenticator(DataSource pool, SessionOptions options) {
    this.pool = pool;
    this.options = options;
    this.tokens = new ControlTokens(pool);
  }

  /**
   * Who calls.
   *
   * @param newCookie cookie that the reply must set; null: none
   */
  public record Identity(Principal principal, @Nullable RandomSecret newCookie) {}

  /** Row of a session with its account. */
  private record Found(
      Principal.Person person, UserState state, boolean renew, boolean isSeenDue) {}

  /**
   * Returns the control token that a text is.
   *
   * @throws Refused 401 if it is not valid, or not for this client address
   */
  public Principal.Token byToken(String token, @Nullable String ip) throws SQLException {
    return tokens.authenticate(token, ip);
  }

  /**
   * Returns the person of a session.
   *
   * @param cookie value of the session cookie
   * @throws Refused 401 if there is no such session, 403 if the account is disabled
   */
  public Identity bySession(String cookie) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      Found found = find(connection, cookie);
      switch (found.state()) {
        case ACTIVE -> {
          // below
        }
        case DISABLED ->
            throw Refused.of(ErrorCode.ACCOUNT_DISABLED, "An operator disabled your account.");
        case PENDING, CLOSED -> throw Refused.unauthenticated();
      }
      if (found.renew()) {
        return renewed(connection, found.person());
      }
      if (found.isSeenDue()) {
        noteSeen(connection, found.person().session());
      }
      return new Identity(found.person(), null);
    }
  }

  private Found find(Connection connection, String cookie) throws SQLException {
    return Statements.first(
            connection,
            SELECT,
            ControlAuthenticator::found,
            options.seenInterval().toMillis() / 1e3,
            RandomSecret.hash(cookie),
            options.idle().toMillis() / 1e3,
            RENEWED_SECONDS)
        .orElseThrow(Refused::unauthenticated);
  }

  private static Found found(ResultSet row) throws SQLException {
    boolean isLive = !row.getBoolean("has_ended");
    return new Found(
        Sessions.person(row),
        UserState.of(row.getString("state")),
        isLive && row.getBoolean("renew"),
        isLive && row.getBoolean("is_seen_due"));
  }

  /** Moves a session to a new id and cookie; of calls at the same time one does. */
  private static Identity renewed(Connection connection, Principal.Person person)
      throws SQLException {
    var id = new SessionId(UUID.randomUUID());
    RandomSecret cookie = RandomSecret.generate();
    boolean isMoved =
        Transactions.run(connection, open -> move(open, person.session(), id, cookie.hash()));
    return isMoved ? new Identity(person.in(id), cookie) : new Identity(person, null);
  }

  private static boolean move(Connection connection, SessionId old, SessionId id, byte[] tokenHash)
      throws SQLException {
    int moved =
        Statements.update(
            connection,
            """
            WITH old AS (
              UPDATE user_session
                 SET ended_at = ledger_now(), ended_why = 'renewed', followed_by = ?
               WHERE id = ? AND ended_at IS NULL
              RETURNING user_id, created_at, proven_at, expires_at, how, ip, user_agent)
            INSERT INTO user_session (id, token_hash, user_id, created_at, proven_at, expires_at,
                                      how, ip, user_agent)
            SELECT ?, ?, old.* FROM old""",
            id.value(),
            old.value(),
            id.value(),
            tokenHash);
    return moved == 1;
  }

  private static void noteSeen(Connection connection, SessionId session) throws SQLException {
    Statements.update(
        connection,
        "UPDATE user_session SET last_seen_at = ledger_now() WHERE id = ?",
        session.value());
  }
}
