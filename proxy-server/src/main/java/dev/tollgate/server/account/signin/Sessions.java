package dev.tollgate.server.account.signin;

import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry.Target;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.SessionId;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.WireName;
import dev.tollgate.server.postgres.session.SqlArrays;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Service of the sessions of signed-in browsers. A session ends by its own end, by disuse, or by an
 * act; what ended is refused at the next call on every node. Each rise in rights gives a new
 * session with a new cookie, and a cookie from before is never taken over.
 */
public final class Sessions {
  /** A person's sessions above this number end, the ones used least recently first. */
  static final int PER_USER_MAX = 100;

  private static final String LIVE =
      """
      SELECT id, created_at, last_seen_at, ip, user_agent, how FROM user_session
       WHERE user_id = ? AND ended_at IS NULL AND expires_at > ledger_now()
         AND last_seen_at > ledger_now() - make_interval(secs => ?)
       ORDER BY last_seen_at DESC, id""";

  private static final String SIGN_OUT =
      """
      UPDATE user_session s SET ended_at = ledger_now(), ended_why = ?
        FROM user_account u
       WHERE u.id = s.user_id AND s.ended_at IS NULL
         AND (s.token_hash = ?
              OR s.id = (SELECT r.followed_by FROM user_session r
                          WHERE r.token_hash = ? AND r.ended_why = 'renewed'
                            AND r.ended_at > ledger_now() - interval '30 seconds'))
      RETURNING s.id, s.user_id, s.proven_at, coalesce(u.email, '') AS email, u.name,
                u.is_operator""";

  private final DataSource pool;
  private final SessionOptions options;

  public Sessions(DataSource pool, SessionOptions options) {
    this.pool = pool;
    this.options = options;
  }

  /** Why a session ended before its time. */
  enum End implements WireName {
    SIGNED_OUT,
    REVOKED,
    /** Replaced at a new proof or a new password. */
    PROVEN_AGAIN,
    /** Replaced by one with a new cookie after a change of the person's role. */
    RENEWED,
    PASSWORD_CHANGED,
    PASSWORD_RESET,
    EMAIL_CHANGED,
    ACCOUNT_CLOSED,
    ENDED_BY_OPERATOR,
    /** Above {@link #PER_USER_MAX}. */
    TOO_MANY
  }

  /** New session and the cookie that only the browser gets. */
  public record NewSession(SessionId id, RandomSecret cookie, Instant provenAt) {

    /** Returns a call as one of the person who is signed in by it. */
    public Caller caller(Caller call, User user) {
      var person =
          new Principal.Person(
              user.id(), user.email(), user.name(), user.isOperator(), id, provenAt);
      return new Caller(person, call.ip(), call.userAgent(), call.requestId());
    }
  }

  /** Live session as its owner sees it. */
  public record SessionEntry(
      UUID id,
      boolean current,
      Instant createdAt,
      Instant lastSeenAt,
      String ip,
      String userAgent,
      String browser,
      String os,
      List<String> how) {}

  /**
   * Starts a session of a person who proved to be it.
   *
   * @param how the ways of the proof, such as {@code pwd}
   */
  public NewSession start(Connection connection, Caller caller, UserId user, List<String> how)
      throws SQLException {
    var id = new SessionId(UUID.randomUUID());
    RandomSecret cookie = RandomSecret.generate();
    Instant provenAt = insert(connection, id, cookie, caller, user, how);
    if (caller.principal() instanceof Principal.Person signedInBefore) {
      replace(connection, signedInBefore.session(), id, End.PROVEN_AGAIN);
    }
    endAboveMax(connection, user);
    return new NewSession(id, cookie, provenAt);
  }

  private Instant insert(
      Connection connection,
      SessionId id,
      RandomSecret cookie,
      Caller caller,
      UserId user,
      List<String> how)
      throws SQLException {
    return Statements.list(
            connection,
            """
            INSERT INTO user_session (id, user_id, token_hash, expires_at, how, ip, user_agent)
            VALUES (?, ?, ?, ledger_now() + make_interval(secs => ?), ?, ?, ?)
            RETURNING proven_at""",
            row -> Statements.requiredInstant(row, "proven_at"),
            id.value(),
            user.value(),
            cookie.hash(),
            options.absolute().toMillis() / 1e3,
            how,
            caller.ip() == null ? "" : caller.ip(),
            caller.userAgent() == null ? "" : caller.userAgent())
        .getFirst();
  }

  /** Returns the caller's own sessions, the last used first. */
  public List<SessionEntry> list(Caller caller) throws SQLException {
    Principal.Person person = caller.person();
    return list(person.id(), person.session());
  }

  /** Returns a person's sessions for operators and the command line. */
  public List<SessionEntry> list(Caller caller, UserId user) throws SQLException {
    caller.requireOperatorInPerson();
    return list(user, null);
  }

  private List<SessionEntry> list(UserId user, @Nullable SessionId current) throws SQLException {
    return Statements.list(
        pool, LIVE, row -> entry(row, current), user.value(), options.idle().toMillis() / 1e3);
  }

  /**
   * Ends the session of a cookie, or the one that it was renewed to, whatever the state of its
   * account: a session that is left at an account that is disabled would work again when it is
   * enabled. Without a session it does nothing.
   *
   * @param call the call, whose principal may be anonymous
   */
  public void signOut(Caller call, String cookie) throws SQLException {
    byte[] hash = RandomSecret.hash(cookie);
    Transactions.run(
        pool,
        connection -> {
          List<Principal.Person> ended =
              Statements.list(
                  connection, SIGN_OUT, Sessions::person, End.SIGNED_OUT.wire(), hash, hash);
          for (Principal.Person person : ended) {
            var caller = new Caller(person, call.ip(), call.userAgent(), call.requestId());
            audit(connection, caller, AuditAction.SESSION_SIGN_OUT, person.session());
          }
          return ended;
        });
  }

  /** Reads the columns of a session and its account as the person that is signed in. */
  static Principal.Person person(ResultSet row) throws SQLException {
    return new Principal.Person(
        new UserId(row.getObject("user_id", UUID.class)),
        row.getString("email"),
        row.getString("name"),
        row.getBoolean("is_operator"),
        new SessionId(row.getObject("id", UUID.class)),
        Statements.requiredInstant(row, "proven_at"));
  }

  /**
   * Ends one of the caller's own sessions.
   *
   * @throws Refused 404 if it is no live session of the caller
   */
  public void revoke(Caller caller, SessionId session) throws SQLException {
    Principal.Person person = caller.person();
    Transactions.run(
        pool,
        connection -> {
          if (end(connection, person.id(), session, End.REVOKED) == 0) {
            throw Refused.notFound();
          }
          audit(connection, caller, AuditAction.SESSION_REVOKE, session);
          return session;
        });
  }

  /** Ends all of the caller's own sessions but that of the call. */
  public void revokeOthers(Caller caller) throws SQLException {
    Principal.Person person = caller.person();
    Transactions.run(
        pool,
        connection -> {
          for (SessionId each : endAll(connection, person.id(), person.session(), End.REVOKED)) {
            audit(connection, caller, AuditAction.SESSION_REVOKE, each);
          }
          return person;
        });
  }

  /**
   * Gives every session of a person a new cookie at its next call; called in the transaction that
   * changes the person's role.
   */
  public static void renewAll(Connection connection, UserId user) throws SQLException {
    Statements.update(
        connection,
        "UPDATE user_session SET renew = true WHERE user_id = ? AND ended_at IS NULL",
        user.value());
  }

  /** Ends all sessions of a person but one; returns them. */
  static List<SessionId> endAll(
      Connection connection, UserId user, @Nullable SessionId kept, End why) throws SQLException {
    return Statements.list(
        connection,
        """
        UPDATE user_session SET ended_at = ledger_now(), ended_why = ?
         WHERE user_id = ? AND ended_at IS NULL AND id IS DISTINCT FROM ?::uuid RETURNING id""",
        row -> new SessionId(row.getObject("id", UUID.class)),
        why.wire(),
        user.value(),
        kept == null ? null : kept.value());
  }

  /** Ends a session in favour of a new one. */
  private static void replace(Connection connection, SessionId old, SessionId followedBy, End why)
      throws SQLException {
    Statements.update(
        connection,
        """
        UPDATE user_session SET ended_at = ledger_now(), ended_why = ?, followed_by = ?
         WHERE id = ? AND ended_at IS NULL""",
        why.wire(),
        followedBy.value(),
        old.value());
  }

  private static int end(Connection connection, UserId user, SessionId session, End why)
      throws SQLException {
    return Statements.update(
        connection,
        """
        UPDATE user_session SET ended_at = ledger_now(), ended_why = ?
         WHERE user_id = ? AND id = ? AND ended_at IS NULL""",
        why.wire(),
        user.value(),
        session.value());
  }

  private static void endAboveMax(Connection connection, UserId user) throws SQLException {
    Statements.update(
        connection,
        """
        UPDATE user_session SET ended_at = ledger_now(), ended_why = ?
         WHERE id IN (SELECT id FROM user_session WHERE user_id = ? AND ended_at IS NULL
                       ORDER BY last_seen_at DESC, id OFFSET ?)""",
        End.TOO_MANY.wire(),
        user.value(),
        PER_USER_MAX);
  }

  private static void audit(
      Connection connection, Caller caller, AuditAction action, SessionId session)
      throws SQLException {
    var target = new Target("session", session.toString(), null);
    AuditTrail.write(connection, caller, action, target);
  }

  private static SessionEntry entry(ResultSet row, @Nullable SessionId current)
      throws SQLException {
    UUID id = row.getObject("id", UUID.class);
    String userAgent = row.getString("user_agent");
    return new SessionEntry(
        id,
        current != null && id.equals(current.value()),
        Statements.requiredInstant(row, "created_at"),
        Statements.requiredInstant(row, "last_seen_at"),
        row.getString("ip"),
        userAgent,
        UserAgents.browser(userAgent),
        UserAgents.system(userAgent),
        SqlArrays.strings(row, "how"));
  }
}
