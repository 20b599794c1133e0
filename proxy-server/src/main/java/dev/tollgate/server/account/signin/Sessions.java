package dev.tollgate.server.account.signin;

import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry;
import dev.tollgate.server.account.AuditEntry.Target;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.SessionId;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.postgres.session.SqlArrays;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

  private static final int USER_AGENT_CHARS_MAX = 200;
  private static final String ALIVE =
      "ended_at IS NULL AND expires_at > ledger_now()"
          + " AND last_seen_at > ledger_now() - make_interval(secs => ?)";

  private final DataSource pool;
  private final SessionOptions options;

  public Sessions(DataSource pool, SessionOptions options) {
    this.pool = pool;
    this.options = options;
  }

  /** Why a session ended before its time. */
  enum End {
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
    TOO_MANY;

    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
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
      SessionId id,
      boolean isCurrent,
      Instant createdAt,
      Instant lastSeenAt,
      String ip,
      String userAgent,
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
    try (PreparedStatement insert =
        connection.prepareStatement(
            """
            INSERT INTO user_session (id, user_id, token_hash, expires_at, how, ip, user_agent)
            VALUES (?, ?, ?, ledger_now() + make_interval(secs => ?), ?, ?, ?)
            RETURNING proven_at""")) {
      insert.setObject(1, id.value());
      insert.setObject(2, user.value());
      insert.setBytes(3, cookie.hash());
      insert.setDouble(4, options.absolute().toSeconds());
      insert.setArray(5, SqlArrays.of(connection, "text", how, each -> each));
      insert.setString(6, caller.ip() == null ? "" : caller.ip());
      insert.setString(7, shortened(caller.userAgent()));
      try (ResultSet row = insert.executeQuery()) {
        row.next();
        return row.getObject("proven_at", OffsetDateTime.class).toInstant();
      }
    }
  }

  /** Returns the caller's own sessions, the last used first. */
  public List<SessionEntry> list(Caller caller) throws SQLException {
    Principal.Person person = caller.person();
    try (Connection connection = pool.getConnection();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT id, created_at, last_seen_at, ip, user_agent, how FROM user_session"
                    + " WHERE user_id = ? AND "
                    + ALIVE
                    + " ORDER BY last_seen_at DESC, id")) {
      select.setObject(1, person.id().value());
      select.setDouble(2, options.idle().toSeconds());
      try (ResultSet row = select.executeQuery()) {
        List<SessionEntry> all = new ArrayList<>();
        while (row.next()) {
          all.add(entry(row, person.session()));
        }
        return all;
      }
    }
  }

  /** Ends the session of the call. Without one it does nothing. */
  public void signOut(Caller caller) throws SQLException {
    if (!(caller.principal() instanceof Principal.Person person)) {
      return;
    }
    Transactions.run(
        pool,
        connection -> {
          int ended = end(connection, person.id(), person.session(), End.SIGNED_OUT);
          if (ended > 0) {
            audit(connection, caller, AuditAction.SESSION_SIGN_OUT, person.session());
          }
          return ended;
        });
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
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE user_session SET renew = true WHERE user_id = ? AND ended_at IS NULL")) {
      update.setObject(1, user.value());
      update.executeUpdate();
    }
  }

  /** Ends all sessions of a person but one; returns them. */
  static List<SessionId> endAll(
      Connection connection, UserId user, @Nullable SessionId kept, End why) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            """
            UPDATE user_session SET ended_at = ledger_now(), ended_why = ?
             WHERE user_id = ? AND ended_at IS NULL AND id IS DISTINCT FROM ? RETURNING id""")) {
      update.setString(1, why.wire());
      update.setObject(2, user.value());
      update.setObject(3, kept == null ? null : kept.value(), Types.OTHER);
      try (ResultSet row = update.executeQuery()) {
        List<SessionId> ended = new ArrayList<>();
        while (row.next()) {
          ended.add(new SessionId(row.getObject("id", UUID.class)));
        }
        return ended;
      }
    }
  }

  /** Ends a session in favour of a new one. */
  private static void replace(Connection connection, SessionId old, SessionId followedBy, End why)
      throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            """
            UPDATE user_session SET ended_at = ledger_now(), ended_why = ?, followed_by = ?
             WHERE id = ? AND ended_at IS NULL""")) {
      update.setString(1, why.wire());
      update.setObject(2, followedBy.value());
      update.setObject(3, old.value());
      update.executeUpdate();
    }
  }

  private static int end(Connection connection, UserId user, SessionId session, End why)
      throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            """
            UPDATE user_session SET ended_at = ledger_now(), ended_why = ?
             WHERE user_id = ? AND id = ? AND ended_at IS NULL""")) {
      update.setString(1, why.wire());
      update.setObject(2, user.value());
      update.setObject(3, session.value());
      return update.executeUpdate();
    }
  }

  private static void endAboveMax(Connection connection, UserId user) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            """
            UPDATE user_session SET ended_at = ledger_now(), ended_why = ?
             WHERE id IN (SELECT id FROM user_session WHERE user_id = ? AND ended_at IS NULL
                           ORDER BY last_seen_at DESC, id OFFSET ?)""")) {
      update.setString(1, End.TOO_MANY.wire());
      update.setObject(2, user.value());
      update.setInt(3, PER_USER_MAX);
      update.executeUpdate();
    }
  }

  private static void audit(
      Connection connection, Caller caller, AuditAction action, SessionId session)
      throws SQLException {
    AuditTrail.write(
        connection,
        caller,
        AuditEntry.of(null, action, new Target("session", session.toString(), null)));
  }

  private static SessionEntry entry(ResultSet row, SessionId current) throws SQLException {
    var id = new SessionId(row.getObject("id", UUID.class));
    return new SessionEntry(
        id,
        id.equals(current),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        row.getObject("last_seen_at", OffsetDateTime.class).toInstant(),
        row.getString("ip"),
        row.getString("user_agent"),
        SqlArrays.strings(row, "how"));
  }

  private static String shortened(@Nullable String userAgent) {
    return userAgent == null
        ? ""
        : userAgent.substring(0, Math.min(userAgent.length(), USER_AGENT_CHARS_MAX));
  }
}
