package dev.tollgate.server.account.org;

import static dev.tollgate.server.account.TestAccounts.caller;
import static dev.tollgate.server.account.TestAccounts.refusal;
import static dev.tollgate.server.account.TestAccounts.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.TestAccounts;
import dev.tollgate.server.account.org.OperatorOrgs.OperatorNewOrg;
import dev.tollgate.server.account.org.OperatorOrgs.OperatorOrgPatch;
import dev.tollgate.server.account.org.OperatorOrgs.OrgQuery;
import dev.tollgate.server.account.org.OperatorOrgs.OrgSort;
import dev.tollgate.server.account.org.OperatorOrgs.OrgState;
import dev.tollgate.server.account.org.OrgPatch.PolicyPatch;
import dev.tollgate.server.account.org.OrgService.NewOrg;
import dev.tollgate.server.postgres.TestLedgerStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Organizations: their creation, change and end, by members and by operators. */
class OrganizationsIT {
  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private final TestAccounts accounts = new TestAccounts(testStore);
  private OrgService orgs;
  private OperatorOrgs operatorOrgs;
  private OrgId org;
  private OrgAccess owner;

  @BeforeEach
  void make() throws Exception {
    var pool = testStore.store().pool();
    var organizations = testStore.store().organizations();
    orgs = new OrgService(pool, organizations, () -> 100, false, () -> {});
    var invitations = new Invitations(pool, (_, _, _, _, _) -> Optional.of("link"));
    operatorOrgs = new OperatorOrgs(pool, organizations, () -> 100, invitations, () -> {});
    org = testStore.newOrg();
    owner = accounts.member(org, Role.OWNER);
  }

  private static OperatorOrgPatch patch(
      Patch<OrgState> state,
      Patch<@Nullable Long> limit,
      Patch<@Nullable Long> cap,
      Patch<Boolean> closed) {
    return new OperatorOrgPatch(state, Patch.keep(), limit, cap, Patch.keep(), closed, "why");
  }

  private static OperatorNewOrg named(String name, @Nullable String ownerEmail) {
    return new OperatorNewOrg(name, null, ownerEmail, null, null);
  }

  @Test
  void operatorsMakeOrganizationsAndOthersWhereSignUpIsOpen() throws Exception {
    Principal.Person person = accounts.person();
    var wish = new NewOrg(UUID.randomUUID().toString(), "Shown");
    assertThat(refused(() -> orgs.create(caller(person), wish, IdempotencyClaim.NONE)))
        .isEqualTo("forbidden");
    var open =
        new OrgService(
            testStore.store().pool(), testStore.store().organizations(), () -> 7, true, () -> {});
    OrgView made = open.create(caller(person), wish, IdempotencyClaim.NONE);
    assertThat(made.displayName()).isEqualTo("Shown");
    assertThat(made.keys()).isEqualTo(new OrgView.KeyCount(0, 7));
    assertThat(orgs.memberships(caller(person)))
        .singleElement()
        .satisfies(each -> assertThat(each.role()).isEqualTo(Role.OWNER));
    Caller operator = caller(accounts.operator());
    assertThat(refused(() -> orgs.create(operator, wish, IdempotencyClaim.NONE)))
        .isEqualTo("conflict name_taken");
    assertThat(refused(() -> orgs.create(operator, new NewOrg(" x", null), IdempotencyClaim.NONE)))
        .isEqualTo("validation_failed");
    Caller token = caller(new Principal.Token("00000000", "t", null, null));
    assertThat(refused(() -> orgs.create(token, wish, IdempotencyClaim.NONE)))
        .isEqualTo("forbidden not_a_person");
    assertThat(orgs.memberships(token)).isEmpty();
    assertThat(refused(() -> orgs.memberships(caller(new Principal.Anonymous()))))
        .isEqualTo("unauthenticated");
  }

  @Test
  void namesAndThePolicyAreChangedInTheirVersion() throws Exception {
    var policy = new PolicyPatch(Patch.set(false), Patch.set(5L), Patch.keep(), Patch.set(30));
    OrgView changed =
        orgs.change(
            owner,
            new OrgPatch(Patch.keep(), Patch.set("Acme"), policy),
            orgs.get(owner).version());
    assertThat(changed.displayName()).isEqualTo("Acme");
    assertThat(changed.keyPolicy()).isEqualTo(new OrgView.Policy(false, 5L, null, 30));
    var rename = new OrgPatch(Patch.set(UUID.randomUUID().toString()), Patch.set(null), null);
    assertThat(refusal(() -> orgs.change(owner, rename, 1)).details())
        .containsEntry("current_version", changed.version());
    assertThat(orgs.change(owner, rename, changed.version()).displayName()).isNull();
    String taken = orgs.get(accounts.operatorAccess(testStore.newOrg())).name();
    assertThat(
            refused(
                () -> orgs.change(owner, new OrgPatch(Patch.set(taken), Patch.keep(), null), null)))
        .isEqualTo("conflict name_taken");
    for (Role role : List.of(Role.VIEWER, Role.DEVELOPER, Role.BILLING)) {
      OrgAccess member = accounts.member(org, role);
      assertThat(refused(() -> orgs.change(member, rename, null))).isEqualTo("forbidden");
    }
    assertThat(accounts.audit(org).getFirst()).contains("org.update", "\"days_max\"");
  }

  @Test
  void aClosedOrganizationIsReadAndOnlyAnOperatorOpensIt() throws Exception {
    KeyId key = testStore.newKey(org);
    assertThat(refused(() -> orgs.close(accounts.member(org, Role.ADMIN)))).isEqualTo("forbidden");
    orgs.close(owner);
    orgs.close(owner);
    assertThat(orgs.get(owner).state()).isEqualTo("closed");
    assertThat(testStore.store().apiKeys().find(key).orElseThrow().revokedAt()).isNotNull();
    assertThat(accounts.audit(org)).hasSize(1);

    OrgAccess operator = accounts.operatorAccess(org);
    OperatorOrgPatch activate =
        patch(Patch.set(OrgState.ACTIVE), Patch.keep(), Patch.keep(), Patch.keep());
    assertThat(refused(() -> operatorOrgs.change(operator, activate, null))).isEqualTo("conflict");
    OperatorOrgPatch reopen = patch(Patch.keep(), Patch.keep(), Patch.keep(), Patch.set(false));
    assertThat(refused(() -> operatorOrgs.change(owner, reopen, null))).isEqualTo("forbidden");
    assertThat(operatorOrgs.change(operator, reopen, null).state()).isEqualTo("active");
    assertThat(accounts.audit(org).getLast()).startsWith("operator org.reopen").contains("why");
  }

  @Test
  void theCapBoundsTheLimit() throws Exception {
    OrgAccess operator = accounts.operatorAccess(org);
    OrgView capped =
        operatorOrgs.change(
            operator, patch(Patch.keep(), Patch.keep(), Patch.set(50L), Patch.keep()), null);
    assertThat(capped.monthlyLimitMicro()).as("with a cap there is a limit").isEqualTo(50);
    assertThat(
            refused(
                () ->
                    operatorOrgs.change(
                        operator,
                        patch(Patch.keep(), Patch.set(51L), Patch.keep(), Patch.keep()),
                        null)))
        .isEqualTo("validation_failed over_cap");
    OrgView lowered =
        operatorOrgs.change(
            operator, patch(Patch.keep(), Patch.keep(), Patch.set(40L), Patch.keep()), null);
    assertThat(lowered.monthlyLimitMicro()).isEqualTo(40);
    OrgView free =
        operatorOrgs.change(
            operator, patch(Patch.keep(), Patch.set(null), Patch.set(null), Patch.keep()), null);
    assertThat(free.monthlyLimitMicro()).isNull();
    assertThat(accounts.audit(org)).allMatch(row -> row.startsWith("operator org.cap"));
  }

  @Test
  void anOperatorSuspendsAndActivates() throws Exception {
    OrgAccess operator = accounts.operatorAccess(org);
    for (OrgState state : List.of(OrgState.SUSPENDED, OrgState.ACTIVE)) {
      operatorOrgs.change(
          operator, patch(Patch.set(state), Patch.keep(), Patch.keep(), Patch.keep()), null);
    }
    assertThat(accounts.audit(org))
        .extracting(row -> row.split(" ", 3)[1])
        .containsExactly("org.suspend", "org.activate");
  }

  @Test
  void operatorsCreateWithAnInvitationAndList() throws Exception {
    Caller operator = caller(accounts.operator());
    String prefix = "list-" + UUID.randomUUID();
    for (int i = 0; i < 5; i++) {
      var made =
          operatorOrgs.create(
              operator, named(prefix + "|" + i, "o@example.com"), IdempotencyClaim.NONE);
      assertThat(made.inviteUrl()).isEqualTo("link");
      testStore.fund(new OrgId(made.organization().id()), 10 + i);
    }
    assertThat(
            refused(
                () ->
                    operatorOrgs.create(
                        operator, named(prefix + "|1", null), IdempotencyClaim.NONE)))
        .isEqualTo("conflict name_taken");
    for (OrgSort sort : OrgSort.values()) {
      List<Long> balances = new ArrayList<>();
      String position = null;
      do {
        var page =
            operatorOrgs.list(
                operator, new OrgQuery(List.of("active"), prefix, sort), new Page(2, position));
        page.data().forEach(each -> balances.add(each.balanceMicro()));
        position = page.next();
      } while (position != null);
      assertThat(balances).containsExactlyInAnyOrder(10L, 11L, 12L, 13L, 14L);
      switch (sort) {
        case NAME -> assertThat(balances).isSorted();
        case BALANCE -> assertThat(balances.reversed()).isSorted();
        case SPEND -> assertThat(balances).doesNotHaveDuplicates();
      }
    }
    assertThat(refused(() -> operatorOrgs.list(owner.caller(), OrgQuery.ALL, Page.first(1))))
        .isEqualTo("forbidden");
  }
}
