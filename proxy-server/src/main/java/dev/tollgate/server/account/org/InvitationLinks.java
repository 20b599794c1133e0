package dev.tollgate.server.account.org;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.AccountTransactions;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.AuditEntry.Target;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.signin.RandomSecret;
import dev.tollgate.server.account.signin.Sessions;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Service of people who follow the link of an invitation. The link proves the address: a person
 * without an account gets one that is verified; one with an account must be signed in to it.
 */
public final class InvitationLinks {
  private static final String SELECT =
      """
      SELECT i.id, i.org_id, i.email, i.email_key, i.role, i.expires_at, i.invited_by, o.name,
             o.display_name,
             (SELECT u.id FROM user_account u WHERE u.email_key = i.email_key) AS user_id
        FROM invitation i JOIN organization o ON o.id = i.org_id
       WHERE i.token_hash = ? AND i.accepted_at IS NULL AND i.revoked_at IS NULL
         AND i.expires_at > ledger_now()
      """;

  private final DataSource pool;
  private final NewPeople people;

  public InvitationLinks(DataSource pool, NewPeople people) {
    this.pool = pool;
    this.people = people;
  }

  /** What the link is about. */
  public record InvitationLook(
      Named organization,
      String email,
      Role role,
      Named invitedBy,
      Instant expiresAt,
      boolean accountExists) {}

  /** Name of an organization or a person. */
  public record Named(String name) {}

  /**
   * Acceptance of an invitation.
   *
   * @param name of a new account; null: the person has one
   * @param password of a new account
   */
  public record Acceptance(String token, @Nullable String name, @Nullable String password) {
    @Override
    public String toString() {
      return "Acceptance[name=" + name + "]";
    }
  }

  /**
   * Member who joined.
   *
   * @param isNew true if the account was created, so that the caller is to be signed in to it
   */
  public record Joined(UserId user, OrgId org, Role role, boolean isNew) {}

  private record Row(
      UUID id,
      OrgId org,
      String email,
      Role role,
      Instant expiresAt,
      String invitedBy,
      String orgName,
      @Nullable UserId user) {
    static Row of(ResultSet row) throws SQLException {
      UUID user = row.getObject("user_id", UUID.class);
      String displayName = row.getString("display_name");
      return new Row(
          row.getObject("id", UUID.class),
          new OrgId(row.getObject("org_id", UUID.class)),
          row.getString("email"),
          Role.parse(row.getString("role")).orElseThrow(),
          Statements.requiredInstant(row, "expires_at"),
          row.getString("invited_by"),
          displayName == null ? row.getString("name") : displayName,
          user == null ? null : new UserId(user));
    }
  }

  /** Returns what an invitation is about; 404 if the link does not work, for whichever reason. */
  public InvitationLook look(String token) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      Row found = find(connection, token, "");
      return new InvitationLook(
          new Named(found.orgName()),
          found.email(),
          found.role(),
          new Named(found.invitedBy()),
          found.expiresAt(),
          found.user() != null);
    }
  }

  private static Row find(Connection connection, String token, String lock) throws SQLException {
    return Statements.first(connection, SELECT + lock, Row::of, (Object) RandomSecret.hash(token))
        .orElseThrow(Refused::notFound);
  }

  /** Makes the caller, or a new person, a member. */
  public Joined accept(Caller caller, Acceptance acceptance) throws SQLException {
    Row seen;
    try (Connection connection = pool.getConnection()) {
      seen = find(connection, acceptance.token(), "");
    }
    requireAddress(caller, seen);
    Optional<NewPeople.Prepared> newPerson =
        seen.user() == null ? Optional.of(prepare(seen, acceptance)) : Optional.empty();
    return AccountTransactions.run(
        pool, connection -> join(connection, caller, acceptance, seen.org(), newPerson));
  }

  private NewPeople.Prepared prepare(Row seen, Acceptance acceptance) {
    String name = acceptance.name();
    String password = acceptance.password();
    if (name == null) {
      throw Refused.invalid("name", "is required for a new account");
    }
    if (password == null) {
      throw Refused.invalid("password", "is required for a new account");
    }
    return people.prepare(seen.email(), password, name);
  }

  /** A session of another address must not join, and an account not without its session. */
  private static void requireAddress(Caller caller, Row invitation) {
    UserId person = caller.principal() instanceof Principal.Person signedIn ? signedIn.id() : null;
    boolean isOther =
        invitation.user() == null ? person != null : !invitation.user().equals(person);
    if (isOther) {
      throw Refused.conflict(RefusalReason.OTHER_ADDRESS);
    }
  }

  private static Joined join(
      Connection connection,
      Caller caller,
      Acceptance acceptance,
      OrgId org,
      Optional<NewPeople.Prepared> newPerson)
      throws SQLException {
    OrgView organization = OrgRows.lock(connection, org, 0);
    if (organization.state().equals("closed")) {
      throw Refused.notFound();
    }
    Row invitation = find(connection, acceptance.token(), " FOR UPDATE OF i");
    requireAddress(caller, invitation);
    UserId user = invitation.user();
    boolean isNew = user == null;
    if (user == null) {
      user =
          newPerson
              .orElseThrow(Refused::notFound)
              .insert(connection, caller)
              .orElseThrow(() -> Refused.conflict(RefusalReason.OTHER_ADDRESS));
    }
    Statements.update(
        connection,
        "UPDATE invitation SET accepted_at = ledger_now(), accepted_by = ? WHERE id = ?",
        user.value(),
        invitation.id());
    int joined =
        Statements.update(
            connection,
            "INSERT INTO membership (org_id, user_id, role) VALUES (?, ?, ?)"
                + " ON CONFLICT DO NOTHING",
            org.value(),
            user.value(),
            invitation.role().wire());
    if (joined == 0) {
      throw Refused.conflict(RefusalReason.ALREADY_MEMBER);
    }
    var target = new Target("user", user.toString(), invitation.email());
    AuditTrail.write(
        connection,
        caller,
        org,
        AuditAction.MEMBER_JOIN,
        target,
        new Change("role", null, invitation.role().wire()));
    if (!isNew) {
      Sessions.renewAll(connection, user);
    }
    return new Joined(user, org, invitation.role(), isNew);
  }
}
