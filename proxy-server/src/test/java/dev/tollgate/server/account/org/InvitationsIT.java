package dev.tollgate.server.account.org;

import static dev.tollgate.server.account.TestAccounts.caller;
import static dev.tollgate.server.account.TestAccounts.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.SessionId;
import dev.tollgate.server.account.TestAccounts;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.org.InvitationLinks.Acceptance;
import dev.tollgate.server.account.org.Invitations.NewInvitation;
import dev.tollgate.server.account.signin.EmailAddress;
import dev.tollgate.server.account.signin.RandomSecret;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Invitations: who makes them, and what their links do. */
class InvitationsIT {
  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private static final Caller ANYBODY = caller(new Principal.Anonymous());

  private final TestAccounts accounts = new TestAccounts(testStore);
  private Invitations invitations;
  private InvitationLinks links;
  private OrgId org;
  private OrgAccess owner;
  private OrgAccess admin;

  @BeforeEach
  void make() throws Exception {
    var pool = testStore.store().pool();
    invitations = new Invitations(pool, InvitationsIT::link);
    links = new InvitationLinks(pool, (email, _, name) -> new NewPerson(email, name));
    org = testStore.newOrg();
    owner = accounts.member(org, Role.OWNER);
    admin = accounts.member(org, Role.ADMIN);
  }

  /** Returns the secret itself, as a mailbox would. */
  private static Optional<String> link(
      Connection connection,
      EmailAddress to,
      String organization,
      String invitedBy,
      RandomSecret secret) {
    return Optional.of(secret.reveal());
  }

  private record NewPerson(String email, String name) implements NewPeople.Prepared {
    @Override
    public Optional<UserId> insert(Connection connection, Caller caller) throws SQLException {
      UUID id = UUID.randomUUID();
      Statements.update(
          connection,
          "INSERT INTO user_account (id, email, email_key, name, state, verified_at)"
              + " VALUES (?, ?, ?, ?, 'active', now())",
          id,
          email,
          email,
          name);
      return Optional.of(new UserId(id));
    }
  }

  private static String address() {
    return UUID.randomUUID() + "@example.com";
  }

  private InvitationView invite(OrgAccess access, String email, Role role) throws Exception {
    return invitations.create(access, new NewInvitation(email, role), IdempotencyClaim.NONE);
  }

  private static Acceptance accept(InvitationView invitation) {
    return new Acceptance(String.valueOf(invitation.inviteUrl()), "New", "a long password");
  }

  @Test
  void onlyOwnersInviteOwnersAndOnlyThoseBelowAdmins() throws Exception {
    assertThat(invite(admin, address(), Role.DEVELOPER).inviteUrl()).isNotNull();
    assertThat(refused(() -> invite(admin, address(), Role.OWNER))).isEqualTo("forbidden");
    InvitationView ofOwner = invite(owner, address(), Role.OWNER);
    assertThat(refused(() -> invitations.resend(admin, ofOwner.id()))).isEqualTo("forbidden");
    assertThat(refused(() -> invitations.revoke(admin, ofOwner.id()))).isEqualTo("forbidden");
    for (Role role : List.of(Role.VIEWER, Role.DEVELOPER, Role.BILLING)) {
      OrgAccess member = accounts.member(org, role);
      assertThat(refused(() -> invite(member, address(), Role.VIEWER))).isEqualTo("forbidden");
      assertThat(refused(() -> invitations.list(member))).isEqualTo("forbidden");
    }
    assertThat(invitations.list(admin).total()).isEqualTo(2);
    assertThat(invitations.list(admin).data()).allMatch(each -> each.inviteUrl() == null);
    OrgAccess elsewhere = accounts.member(testStore.newOrg(), Role.OWNER);
    assertThat(refused(() -> invitations.revoke(elsewhere, ofOwner.id()))).isEqualTo("not_found");
  }

  @Test
  void aNewPersonJoinsOnce() throws Exception {
    String email = address();
    InvitationView invitation = invite(owner, email, Role.DEVELOPER);
    var look = links.look(String.valueOf(invitation.inviteUrl()));
    assertThat(look.email()).isEqualTo(email);
    assertThat(look.accountExists()).isFalse();
    assertThat(look.invitedBy().name()).isEqualTo("N");
    var without = new Acceptance(String.valueOf(invitation.inviteUrl()), null, null);
    assertThat(refused(() -> links.accept(ANYBODY, without))).isEqualTo("validation_failed");

    var joined = links.accept(ANYBODY, accept(invitation));
    assertThat(joined.isNew()).isTrue();
    assertThat(joined.role()).isEqualTo(Role.DEVELOPER);
    assertThat(refused(() -> links.accept(ANYBODY, accept(invitation)))).isEqualTo("not_found");
    assertThat(invitations.list(owner).total()).isZero();
    assertThat(refused(() -> invite(owner, email, Role.VIEWER)))
        .isEqualTo("conflict already_member");
    assertThat(accounts.audit(org))
        .extracting(row -> row.split(" ", 3)[1])
        .containsExactly("invitation.create", "member.join");
    assertThat(String.join("", accounts.audit(org)))
        .doesNotContain(String.valueOf(invitation.inviteUrl()));
  }

  @Test
  void aPersonWithAnAccountJoinsInItsSessionOnly() throws Exception {
    Principal.Person person = accounts.person();
    InvitationView invitation = invite(owner, person.email(), Role.VIEWER);
    String expected = "conflict other_address";
    assertThat(refused(() -> links.accept(ANYBODY, accept(invitation)))).isEqualTo(expected);
    Caller other = caller(accounts.person());
    assertThat(refused(() -> links.accept(other, accept(invitation)))).isEqualTo(expected);
    InvitationView ofNobody = invite(owner, address(), Role.VIEWER);
    assertThat(refused(() -> links.accept(other, accept(ofNobody)))).isEqualTo(expected);

    var joined = links.accept(caller(person), accept(invitation));
    assertThat(joined.isNew()).isFalse();
    assertThat(joined.user()).isEqualTo(person.id());
    var again =
        new Principal.Person(
            person.id(), "", "", false, new SessionId(UUID.randomUUID()), Instant.EPOCH);
    assertThat(accounts.access(org, again).role()).isEqualTo(Role.VIEWER);
  }

  @Test
  void aLinkThatWasReplacedOrWithdrawnIsVoid() throws Exception {
    String email = address();
    InvitationView first = invite(owner, email, Role.VIEWER);
    InvitationView second = invite(owner, email, Role.ADMIN);
    assertThat(refused(() -> links.look(String.valueOf(first.inviteUrl())))).isEqualTo("not_found");
    InvitationView resent = invitations.resend(owner, second.id());
    assertThat(refused(() -> links.look(String.valueOf(second.inviteUrl()))))
        .isEqualTo("not_found");
    assertThat(links.look(String.valueOf(resent.inviteUrl())).role()).isEqualTo(Role.ADMIN);
    invitations.revoke(owner, resent.id());
    assertThat(refused(() -> links.look(String.valueOf(resent.inviteUrl()))))
        .isEqualTo("not_found");
    assertThat(resent.toString()).doesNotContain(String.valueOf(resent.inviteUrl()));
  }

  @Test
  void thereIsAMaximumAndNoneInASuspendedOrganization() throws Exception {
    for (int i = 0; i < Invitations.OPEN_MAX; i++) {
      testStore.execute(
          "INSERT INTO invitation (id, org_id, email, email_key, role, token_hash, invited_by,"
              + " expires_at) VALUES (gen_random_uuid(), ?, ?, ?, 'viewer',"
              + " sha256(gen_random_uuid()::text::bytea), 'x', 'infinity')",
          org.value(),
          "p" + i,
          "p" + i);
    }
    assertThat(refused(() -> invite(owner, address(), Role.VIEWER))).isEqualTo("conflict");
    accounts.suspend(org);
    OrgAccess suspended = accounts.access(org, owner.caller().principal());
    assertThat(refused(() -> invite(suspended, address(), Role.VIEWER)))
        .isEqualTo("forbidden organization_suspended");
  }
}
