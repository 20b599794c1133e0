package dev.tollgate.server.account.signin;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/**
 * The end of an account: the person leaves all organizations, and what names the person is erased.
 * The id and the audit log stay.
 */
final class AccountClosing {
  // A closed organization needs no owner.
  private static final String ORPHANED =
      """
      SELECT 1 FROM membership m JOIN organization o ON o.id = m.org_id
       WHERE m.user_id = ? AND m.role = 'owner' AND o.closed_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM membership other JOIN user_account u ON u.id = other.user_id
                          WHERE other.org_id = m.org_id AND other.user_id <> m.user_id
                            AND other.role = 'owner' AND u.state = 'active')""";

  private AccountClosing() {}

  /** Closes an account whose owned organizations and row are locked. */
  static void close(Connection connection, Caller caller, User user) throws SQLException {
    if (user.isOperator()) {
      Users.requireOtherOperator(connection, user.id());
    }
    requireNoOrphan(connection, user);
    for (OrgId org : leaveAll(connection, user)) {
      AuditTrail.write(connection, caller, org, AuditAction.MEMBER_LEAVE, user.target());
    }
    Sessions.endAll(connection, user.id(), null, Sessions.End.ACCOUNT_CLOSED);
    Statements.update(
        connection, "DELETE FROM one_time_token WHERE user_id = ?", user.id().value());
    Statements.update(
        connection,
        """
        UPDATE user_account
           SET state = 'closed', closed_at = ledger_now(), email = NULL, email_key = NULL, name = '',
               is_operator = false, password_hash = NULL, password_at = NULL
         WHERE id = ?""",
        user.id().value());
    AuditTrail.write(connection, caller, AuditAction.USER_CLOSE, user.target());
  }

  private static void requireNoOrphan(Connection connection, User user) throws SQLException {
    if (Statements.exists(connection, ORPHANED, user.id().value())) {
      throw Refused.conflict(RefusalReason.LAST_OWNER);
    }
  }

  private static List<OrgId> leaveAll(Connection connection, User user) throws SQLException {
    return Statements.list(
        connection,
        "DELETE FROM membership WHERE user_id = ? RETURNING org_id",
        row -> new OrgId(row.getObject("org_id", UUID.class)),
        user.id().value());
  }
}
