package dev.tollgate.server.account.org;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.AccountTransactions;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.Versioned;
import dev.tollgate.server.account.signin.EmailAddress;
import dev.tollgate.server.account.signin.Sessions;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Service of the members of an organization. Owners are made, changed and removed by owners only,
 * and one who is active always remains. In a suspended organization rights only get less.
 */
public final class Members {
  private static final String SELECT =
      """
      SELECT m.user_id, m.role, m.joined_at, m.version, u.name, u.email, u.state,
             (SELECT max(s.last_seen_at) FROM user_session s
               WHERE s.user_id = m.user_id AND s.ended_at IS NULL) AS last_seen_at,
             (SELECT count(*) FROM api_key k
               WHERE k.org_id = m.org_id AND k.created_by = 'user:' || m.user_id
                 AND k.state <> 'revoked')::int AS keys
        FROM membership m JOIN user_account u ON u.id = m.user_id
       WHERE m.org_id = ?
      """;

  private final DataSource pool;

  public Members(DataSource pool) {
    this.pool = pool;
  }

  /** All members of an organization. */
  public record MemberList(List<MemberView> data, int total) {}

  public MemberList list(OrgAccess access) throws SQLException {
    access.require(Permission.ORG_READ);
    List<MemberView> members =
        Statements.list(
            pool, SELECT + " ORDER BY m.joined_at, m.user_id", Members::read, access.org().value());
    return new MemberList(members, members.size());
  }

  /** Adds a person who has an account; for operators. */
  public MemberView add(OrgAccess access, String email, Role role) throws SQLException {
    access.caller().requireOperatorInPerson();
    access.requireActive();
    EmailAddress address = EmailAddress.require("email", email);
    return AccountTransactions.run(
        pool,
        connection -> {
          access.lock(connection);
          UserId user = user(connection, address);
          int added =
              Statements.update(
                  connection,
                  "INSERT INTO membership (org_id, user_id, role) VALUES (?, ?, ?)"
                      + " ON CONFLICT DO NOTHING",
                  access.org().value(),
                  user.value(),
                  role.wire());
          if (added == 0) {
            throw Refused.conflict(RefusalReason.ALREADY_MEMBER);
          }
          MemberView member = find(connection, access.org(), user);
          AuditTrail.write(
              connection,
              access,
              AuditAction.MEMBER_JOIN,
              member.target(),
              new Change("role", null, role.wire()));
          return member;
        });
  }

  /**
   * Returns the member with an address.
   *
   * @throws Refused 404 if there is none
   */
  public UserId withAddress(OrgAccess access, String email) throws SQLException {
    access.require(Permission.ORG_READ);
    try (Connection connection = pool.getConnection()) {
      UserId user = user(connection, EmailAddress.require("email", email));
      return new UserId(find(connection, access.org(), user).user().id());
    }
  }

  private static UserId user(Connection connection, EmailAddress address) throws SQLException {
    return Statements.first(
            connection,
            "SELECT id FROM user_account WHERE email_key = ?",
            row -> new UserId(row.getObject("id", UUID.class)),
            address.key())
        .orElseThrow(Refused::notFound);
  }

  /**
   * Changes a member's role.
   *
   * @param version the version that the caller saw; null: whichever it is
   */
  public MemberView changeRole(OrgAccess access, UserId user, Role role, @Nullable Integer version)
      throws SQLException {
    access.require(Permission.MEMBERS_WRITE);
    if (role == Role.OWNER) {
      access.require(Permission.OWNERS_WRITE);
    }
    return AccountTransactions.run(
        pool,
        connection -> {
          MemberView before = lockMember(connection, access, user);
          if (!before.role().permissions().containsAll(role.permissions())) {
            access.requireActive();
          }
          Versioned.requireSeen(version, before.version());
          if (before.role() == role) {
            return before;
          }
          Statements.update(
              connection,
              "UPDATE membership SET role = ? WHERE org_id = ? AND user_id = ?",
              role.wire(),
              access.org().value(),
              user.value());
          Sessions.renewAll(connection, user);
          AuditTrail.write(
              connection,
              access,
              AuditAction.MEMBER_ROLE,
              before.target(),
              new Change("role", before.role().wire(), role.wire()));
          return find(connection, access.org(), user);
        });
  }

  /** Removes a member; keys that the person made stay, and the audit log lists them. */
  public void remove(OrgAccess access, UserId user) throws SQLException {
    access.require(Permission.MEMBERS_WRITE);
    AccountTransactions.run(
        pool,
        connection -> {
          MemberView member = lockMember(connection, access, user);
          delete(connection, access, member, AuditAction.MEMBER_REMOVE);
          return member;
        });
  }

  /** Ends the membership of the caller. */
  public void leave(OrgAccess access) throws SQLException {
    Principal.Person person = access.caller().person();
    if (access.role() == null) {
      throw Refused.notFound();
    }
    AccountTransactions.run(
        pool,
        connection -> {
          access.lock(connection);
          MemberView member = find(connection, access.org(), person.id());
          delete(connection, access, member, AuditAction.MEMBER_LEAVE);
          return member;
        });
  }

  private void delete(
      Connection connection, OrgAccess access, MemberView member, AuditAction action)
      throws SQLException {
    var user = new UserId(member.user().id());
    List<String> keys =
        Statements.list(
            connection,
            "SELECT id FROM api_key WHERE org_id = ? AND created_by = ? AND state <> 'revoked'"
                + " ORDER BY id",
            row -> row.getString("id"),
            access.org().value(),
            "user:" + user);
    Statements.update(
        connection,
        "DELETE FROM membership WHERE org_id = ? AND user_id = ?",
        access.org().value(),
        user.value());
    Sessions.renewAll(connection, user);
    AuditTrail.write(
        connection,
        access,
        action,
        member.target(),
        new Change("role", member.role().wire(), null),
        new Change("keys", keys.isEmpty() ? null : keys, null));
  }

  /** Locks the organization and returns a member whom the caller may change. */
  private static MemberView lockMember(Connection connection, OrgAccess access, UserId user)
      throws SQLException {
    access.lock(connection); // two owners who remove each other must not both succeed
    MemberView member = find(connection, access.org(), user);
    if (member.role() == Role.OWNER) {
      access.require(Permission.OWNERS_WRITE);
    }
    return member;
  }

  private static MemberView find(Connection connection, OrgId org, UserId user)
      throws SQLException {
    return Statements.first(
            connection, SELECT + " AND m.user_id = ?", Members::read, org.value(), user.value())
        .orElseThrow(Refused::notFound);
  }

  private static MemberView read(ResultSet row) throws SQLException {
    return new MemberView(
        new MemberView.Person(
            row.getObject("user_id", UUID.class),
            row.getString("name"),
            row.getString("email"),
            row.getString("state")),
        Role.parse(row.getString("role")).orElseThrow(),
        Statements.requiredInstant(row, "joined_at"),
        Statements.instant(row, "last_seen_at"),
        false,
        row.getInt("keys"),
        row.getInt("version"));
  }
}
