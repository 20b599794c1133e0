package dev.tollgate.server.account.signin;

import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.SessionId;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.signin.SessionView.MembershipView;
import dev.tollgate.server.account.signin.SessionView.OrgSummary;
import dev.tollgate.server.account.signin.SessionView.SessionLifetime;
import dev.tollgate.server.account.signin.SessionView.UserView;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;

/** Query of what a signed-in person sees of the own session. */
public final class SessionViews {
  private static final String MEMBERSHIPS =
      """
      SELECT o.id, o.name, o.display_name,
             CASE WHEN o.closed_at IS NULL THEN o.state ELSE 'closed' END AS state,
             m.role
        FROM membership m JOIN organization o ON o.id = m.org_id
       WHERE m.user_id = ? ORDER BY o.name""";

  private final DataSource pool;
  private final SessionOptions options;

  public SessionViews(DataSource pool, SessionOptions options) {
    this.pool = pool;
    this.options = options;
  }

  /**
   * Returns the session of a call.
   *
   * @throws Refused 401 without one
   */
  public SessionView of(Caller caller) throws SQLException {
    Principal.Person person = caller.person();
    try (Connection connection = pool.getConnection()) {
      return of(connection, person.id(), person.session());
    }
  }

  SessionView of(Connection connection, UserId id, SessionId session) throws SQLException {
    User user = Users.find(connection, id).orElseThrow(Refused::unauthenticated);
    return new SessionView(
        UserView.of(user),
        lifetime(connection, session),
        Statements.list(connection, MEMBERSHIPS, SessionViews::membership, id.value()),
        user.isOperator());
  }

  private SessionLifetime lifetime(Connection connection, SessionId id) throws SQLException {
    return Statements.first(
            connection,
            """
            SELECT proven_at, expires_at,
                   least(expires_at, last_seen_at + make_interval(secs => ?)) AS idle_expires_at
              FROM user_session WHERE id = ?""",
            row ->
                new SessionLifetime(
                    id.value(),
                    Statements.requiredInstant(row, "proven_at"),
                    Statements.requiredInstant(row, "idle_expires_at"),
                    Statements.requiredInstant(row, "expires_at")),
            options.idle().toMillis() / 1e3,
            id.value())
        .orElseThrow(Refused::unauthenticated);
  }

  private static MembershipView membership(ResultSet row) throws SQLException {
    Role role = Role.parse(row.getString("role")).orElseThrow();
    return new MembershipView(
        new OrgSummary(
            row.getObject("id", UUID.class),
            row.getString("name"),
            row.getString("display_name"),
            row.getString("state")),
        role.wire(),
        role.permissions().stream().sorted().map(Permission::wire).toList());
  }
}
