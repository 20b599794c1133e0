package dev.tollgate.server.account.signin;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
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
      AuditTrail.write(
          connection, caller, AuditEntry.of(org, AuditAction.MEMBER_LEAVE, user.target()));
    }
    Sessions.endAll(connection, user.id(), null, Sessions.End.ACCOUNT_CLOSED);
    execute(connection, "DELETE FROM one_time_token WHERE user_id = ?", user);
    execute(
        connection,
        """
        UPDATE user_account
           SET state = 'closed', closed_at = ledger_now(), email = NULL, email_key = NULL, name = '',
               is_operator = false, password_hash = NULL, password_at = NULL
         WHERE id = ?""",
        user);
    AuditTrail.write(
        connection, caller, AuditEntry.of(null, AuditAction.USER_CLOSE, user.target()));
  }

  private static void requireNoOrphan(Connection connection, User user) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(ORPHANED)) {
      select.setObject(1, user.id().value());
      try (ResultSet row = select.executeQuery()) {
        if (row.next()) {
          throw Refused.conflict(RefusalReason.LAST_OWNER);
        }
      }
    }
  }

  private static List<OrgId> leaveAll(Connection connection, User user) throws SQLException {
    try (PreparedStatement delete =
        connection.prepareStatement("DELETE FROM membership WHERE user_id = ? RETURNING org_id")) {
      delete.setObject(1, user.id().value());
      try (ResultSet row = delete.executeQuery()) {
        List<OrgId> left = new ArrayList<>();
        while (row.next()) {
          left.add(new OrgId(row.getObject("org_id", UUID.class)));
        }
        return left;
      }
    }
  }

  private static void execute(Connection connection, String sql, User user) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setObject(1, user.id().value());
      statement.executeUpdate();
    }
  }
}
