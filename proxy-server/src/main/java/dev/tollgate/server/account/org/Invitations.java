package dev.tollgate.server.account.org;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.AccountTransactions;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.AuditEntry.Target;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.signin.EmailAddress;
import dev.tollgate.server.account.signin.RandomSecret;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Service of invitations: a role in an organization for an address, behind a link that works once
 * and for 7 days. An address has one open invitation to an organization.
 */
public final class Invitations {
  public static final int OPEN_MAX = 100;

  private static final String OPEN = " accepted_at IS NULL AND revoked_at IS NULL";
  private static final String SELECT =
      "SELECT id, email, role, created_at, expires_at, invited_by FROM invitation"
          + " WHERE org_id = ? AND expires_at > ledger_now() AND"
          + OPEN;

  private final DataSource pool;
  private final InvitationMail mail;

  public Invitations(DataSource pool, InvitationMail mail) {
    this.pool = pool;
    this.mail = mail;
  }

  /** Invitation to make. */
  public record NewInvitation(String email, Role role) {}

  /** All open invitations of an organization. */
  public record InvitationList(List<InvitationView> data, int total) {}

  public InvitationList list(OrgAccess access) throws SQLException {
    access.require(Permission.INVITATIONS_READ);
    List<InvitationView> open =
        Statements.list(
            pool,
            SELECT + " ORDER BY created_at DESC, id",
            Invitations::read,
            access.org().value());
    return new InvitationList(open, open.size());
  }

  /** Invites an address; an open invitation of the address is replaced. */
  public InvitationView create(OrgAccess access, NewInvitation wish, IdempotencyClaim claim)
      throws SQLException {
    requireWriter(access, wish.role());
    access.requireActive();
    EmailAddress address = EmailAddress.require("email", wish.email());
    return AccountTransactions.create(
        pool,
        claim,
        connection -> {
          OrgView org = lockActive(connection, access);
          InvitationView made = invite(connection, access.caller(), org, address, wish.role());
          AuditTrail.write(
              connection, access, AuditAction.INVITATION_CREATE, target(made), role(made));
          return made;
        });
  }

  private static Change role(InvitationView made) {
    return new Change("role", null, made.role().wire());
  }

  /** Invites the first owner of an organization in the transaction that makes it. */
  InvitationView inviteOwner(
      Connection connection, Caller caller, OrgView org, EmailAddress address) throws SQLException {
    InvitationView made = invite(connection, caller, org, address, Role.OWNER);
    AuditTrail.write(
        connection,
        caller,
        new OrgId(org.id()),
        AuditAction.INVITATION_CREATE,
        target(made),
        role(made));
    return made;
  }

  private InvitationView invite(
      Connection connection, Caller caller, OrgView org, EmailAddress address, Role role)
      throws SQLException {
    requireNoMember(connection, org.id(), address);
    Statements.update(
        connection,
        "UPDATE invitation SET revoked_at = ledger_now() WHERE org_id = ? AND email_key = ? AND"
            + OPEN,
        org.id(),
        address.key());
    requireRoom(connection, org.id());
    RandomSecret secret = RandomSecret.generate();
    UUID id = UUID.randomUUID();
    Statements.update(
        connection,
        """
        INSERT INTO invitation (id, org_id, email, email_key, role, token_hash, invited_by,
                                expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ledger_now() + interval '7 days')""",
        id,
        org.id(),
        address.text(),
        address.key(),
        role.wire(),
        secret.hash(),
        name(caller));
    return sent(connection, org, find(connection, org.id(), id), address, secret);
  }

  private InvitationView sent(
      Connection connection,
      OrgView org,
      InvitationView invitation,
      EmailAddress address,
      RandomSecret secret)
      throws SQLException {
    String displayName = org.displayName();
    return invitation.withUrl(
        mail.send(
                connection,
                address,
                displayName == null ? org.name() : displayName,
                invitation.invitedBy(),
                secret)
            .orElse(null));
  }

  /** Sends a new link; the one before is void. */
  public InvitationView resend(OrgAccess access, UUID id) throws SQLException {
    access.require(Permission.INVITATIONS_WRITE);
    access.requireActive();
    return Transactions.run(
        pool,
        connection -> {
          OrgView org = lockActive(connection, access);
          InvitationView found = find(connection, org.id(), id);
          requireWriter(access, found.role());
          RandomSecret secret = RandomSecret.generate();
          Statements.update(
              connection,
              "UPDATE invitation SET token_hash = ?,"
                  + " expires_at = ledger_now() + interval '7 days' WHERE id = ?",
              secret.hash(),
              id);
          AuditTrail.write(connection, access, AuditAction.INVITATION_RESEND, target(found));
          EmailAddress address = EmailAddress.require("email", found.email());
          return sent(connection, org, find(connection, org.id(), id), address, secret);
        });
  }

  /** Withdraws an invitation. */
  public void revoke(OrgAccess access, UUID id) throws SQLException {
    access.require(Permission.INVITATIONS_WRITE);
    Transactions.run(
        pool,
        connection -> {
          InvitationView found = find(connection, access.org().value(), id);
          requireWriter(access, found.role());
          Statements.update(
              connection, "UPDATE invitation SET revoked_at = ledger_now() WHERE id = ?", id);
          AuditTrail.write(connection, access, AuditAction.INVITATION_REVOKE, target(found));
          return found;
        });
  }

  /** Only owners invite owners. */
  private static void requireWriter(OrgAccess access, Role role) {
    access.require(Permission.INVITATIONS_WRITE);
    if (role == Role.OWNER) {
      access.require(Permission.OWNERS_WRITE);
    }
  }

  private static OrgView lockActive(Connection connection, OrgAccess access) throws SQLException {
    OrgView org = OrgRows.lock(connection, access.org(), 0);
    access.requireActive(org.state().equals("active"));
    return org;
  }

  private static void requireNoMember(Connection connection, UUID org, EmailAddress address)
      throws SQLException {
    boolean isMember =
        Statements.exists(
            connection,
            "SELECT 1 FROM membership m JOIN user_account u ON u.id = m.user_id"
                + " WHERE m.org_id = ? AND u.email_key = ?",
            org,
            address.key());
    if (isMember) {
      throw Refused.conflict(RefusalReason.ALREADY_MEMBER);
    }
  }

  private static void requireRoom(Connection connection, UUID org) throws SQLException {
    int open =
        Statements.list(
                connection,
                "SELECT count(*) FROM invitation"
                    + " WHERE org_id = ? AND expires_at > ledger_now() AND"
                    + OPEN,
                row -> row.getInt(1),
                org)
            .getFirst();
    if (open >= OPEN_MAX) {
      throw Refused.conflict("An organization has at most " + OPEN_MAX + " open invitations.");
    }
  }

  private static InvitationView find(Connection connection, UUID org, UUID id) throws SQLException {
    return Statements.first(connection, SELECT + " AND id = ?", Invitations::read, org, id)
        .orElseThrow(Refused::notFound);
  }

  private static InvitationView read(ResultSet row) throws SQLException {
    return new InvitationView(
        row.getObject("id", UUID.class),
        row.getString("email"),
        Role.parse(row.getString("role")).orElseThrow(),
        Statements.requiredInstant(row, "created_at"),
        Statements.requiredInstant(row, "expires_at"),
        row.getString("invited_by"),
        null);
  }

  /** Returns the name of who invites, as the invited person reads it. */
  private static String name(Caller caller) {
    return switch (caller.principal()) {
      case Principal.Anonymous _ -> throw Refused.unauthenticated();
      case Principal.Person person -> person.name();
      case Principal.Token token -> token.name();
      case Principal.Cli _ -> "an operator";
    };
  }

  private static Target target(InvitationView invitation) {
    return new Target("invitation", invitation.id().toString(), invitation.email());
  }
}
