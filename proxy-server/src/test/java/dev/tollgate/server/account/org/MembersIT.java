package dev.tollgate.server.account.org;

import static dev.tollgate.server.account.TestAccounts.refusal;
import static dev.tollgate.server.account.TestAccounts.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.TestAccounts;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.org.AuditLog.AuditQuery;
import dev.tollgate.server.postgres.TestLedgerStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who changes and removes which members, and the audit log of it. */
class MembersIT {
  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private final TestAccounts accounts = new TestAccounts(testStore);
  private Members members;
  private OrgId org;
  private OrgAccess owner;
  private OrgAccess admin;
  private OrgAccess developer;

  @BeforeEach
  void make() throws Exception {
    members = new Members(testStore.store().pool());
    org = testStore.newOrg();
    owner = accounts.member(org, Role.OWNER);
    admin = accounts.member(org, Role.ADMIN);
    developer = accounts.member(org, Role.DEVELOPER);
  }

  private static UserId id(OrgAccess member) {
    return member.caller().person().id();
  }

  @Test
  void everyMemberSeesAll() throws Exception {
    testStore.execute(
        "UPDATE api_key SET created_by = ? WHERE id = ?",
        developer.caller().reference(),
        testStore.newKey(org).value());
    var list = members.list(developer);
    assertThat(list.total()).isEqualTo(3);
    assertThat(list.data())
        .filteredOn(each -> each.user().id().equals(id(developer).value()))
        .singleElement()
        .satisfies(each -> assertThat(each.keys()).isEqualTo(1));
  }

  @Test
  void adminsChangeMembersBelowOwner() throws Exception {
    testStore.execute(
        "INSERT INTO user_session (id, user_id, token_hash, expires_at, how, ip, user_agent)"
            + " SELECT gen_random_uuid(), id, sha256(email::bytea),"
            + " ledger_now() + interval '1 hour', '{pwd}', '', '' FROM user_account");
    assertThat(members.changeRole(admin, id(developer), Role.VIEWER, null).role())
        .isEqualTo(Role.VIEWER);
    assertThat(testStore.execute("SELECT user_id FROM user_session WHERE renew"))
        .containsExactly(id(developer).toString());
    assertThat(refused(() -> members.changeRole(admin, id(developer), Role.OWNER, null)))
        .isEqualTo("forbidden");
    assertThat(refused(() -> members.changeRole(admin, id(admin), Role.OWNER, null)))
        .as("nobody raises oneself")
        .isEqualTo("forbidden");
    assertThat(refused(() -> members.changeRole(admin, id(owner), Role.ADMIN, null)))
        .isEqualTo("forbidden");
    assertThat(refused(() -> members.remove(admin, id(owner)))).isEqualTo("forbidden");
    for (OrgAccess other : List.of(developer, accounts.member(org, Role.BILLING))) {
      assertThat(refused(() -> members.changeRole(other, id(admin), Role.VIEWER, null)))
          .isEqualTo("forbidden");
      assertThat(refused(() -> members.remove(other, id(admin)))).isEqualTo("forbidden");
    }
    var unknown = new UserId(UUID.randomUUID());
    assertThat(refused(() -> members.remove(admin, unknown))).isEqualTo("not_found");
    OrgAccess token = accounts.access(org, new Principal.Token("00000000", "t", org, Role.ADMIN));
    assertThat(refused(() -> members.remove(token, id(developer))))
        .isEqualTo("forbidden not_a_person");
  }

  @Test
  void anOldVersionIsRefused() throws Exception {
    members.changeRole(owner, id(developer), Role.VIEWER, 1);
    assertThat(refusal(() -> members.changeRole(owner, id(developer), Role.ADMIN, 1)).details())
        .containsEntry("current_version", 2);
  }

  @Test
  void theLastOwnerStays() throws Exception {
    assertThat(refused(() -> members.changeRole(owner, id(owner), Role.ADMIN, null)))
        .isEqualTo("conflict last_owner");
    assertThat(refused(() -> members.remove(owner, id(owner)))).isEqualTo("conflict last_owner");
    assertThat(refused(() -> members.leave(owner))).isEqualTo("conflict last_owner");
    assertThat(accounts.audit(org)).isEmpty();
    accounts.member(org, Role.OWNER);
    members.leave(owner);
    assertThat(refused(() -> accounts.access(org, owner.caller().principal())))
        .isEqualTo("not_found");
  }

  @Test
  void ofTwoOwnersWhoDemoteEachOtherOneIsRefused() throws Exception {
    for (int round = 0; round < 5; round++) {
      OrgId its = testStore.newOrg();
      OrgAccess one = accounts.member(its, Role.OWNER);
      OrgAccess two = accounts.member(its, Role.OWNER);
      List<Callable<String>> races =
          List.of(
              () -> outcome(() -> members.changeRole(one, id(two), Role.ADMIN, null)),
              () -> outcome(() -> members.changeRole(two, id(one), Role.ADMIN, null)));
      List<String> outcomes = new ArrayList<>();
      try (var threads = Executors.newFixedThreadPool(2)) {
        for (Future<String> race : threads.invokeAll(races)) {
          outcomes.add(race.get());
        }
      }
      assertThat(outcomes).containsExactlyInAnyOrder("done", "conflict last_owner");
    }
  }

  private static String outcome(Callable<?> change) throws Exception {
    try {
      change.call();
      return "done";
    } catch (Refused e) {
      return e.fault().code().wire() + " " + e.fault().details().get("reason");
    }
  }

  @Test
  void aSuspendedOrganizationOnlyTakesRights() throws Exception {
    accounts.suspend(org);
    OrgAccess suspended = accounts.access(org, owner.caller().principal());
    String expected = "forbidden organization_suspended";
    assertThat(refused(() -> members.changeRole(suspended, id(developer), Role.ADMIN, null)))
        .isEqualTo(expected);
    assertThat(refused(() -> members.changeRole(suspended, id(developer), Role.BILLING, null)))
        .as("other rights are more rights")
        .isEqualTo(expected);
    members.changeRole(suspended, id(developer), Role.VIEWER, null);
    members.remove(suspended, id(developer));
    assertThat(members.list(suspended).total()).isEqualTo(2);
  }

  @Test
  void keysOfAMemberWhoIsRemovedStayAndAreListed() throws Exception {
    String key = testStore.newKey(org).value();
    testStore.execute(
        "UPDATE api_key SET created_by = ? WHERE id = ?", developer.caller().reference(), key);
    members.remove(owner, id(developer));
    assertThat(accounts.audit(org).getLast()).contains("member.remove", key);
    assertThat(testStore.execute("SELECT state FROM api_key WHERE id = ?", key))
        .containsExactly("active");
  }

  @Test
  void anOperatorIsNoMemberAndAddsPeople() throws Exception {
    OrgAccess operator = accounts.operatorAccess(org);
    assertThat(refused(() -> members.leave(operator))).isEqualTo("not_found");
    Principal.Person person = accounts.person();
    assertThat(members.add(operator, person.email().toUpperCase(Locale.ROOT), Role.OWNER).role())
        .isEqualTo(Role.OWNER);
    assertThat(refused(() -> members.add(operator, person.email(), Role.VIEWER)))
        .isEqualTo("conflict already_member");
    assertThat(refused(() -> members.add(operator, "nobody@example.com", Role.VIEWER)))
        .isEqualTo("not_found");
    assertThat(refused(() -> members.add(owner, person.email(), Role.VIEWER)))
        .isEqualTo("forbidden");
    assertThat(members.withAddress(operator, person.email())).isEqualTo(person.id());
  }

  @Test
  void theAuditLogIsPagedFilteredAndNeverChanged() throws Exception {
    var log = new AuditLog(testStore.store().pool());
    for (Role role : List.of(Role.VIEWER, Role.BILLING, Role.ADMIN, Role.VIEWER)) {
      members.changeRole(owner, id(developer), role, null);
    }
    members.changeRole(accounts.operatorAccess(org), id(developer), Role.ADMIN, null);
    List<AuditLog.AuditRow> rows = new ArrayList<>();
    String position = null;
    do {
      var page = log.list(admin, AuditQuery.ALL, new Page(2, position));
      rows.addAll(page.data());
      position = page.next();
    } while (position != null);
    assertThat(rows).hasSize(5).doesNotHaveDuplicates();
    assertThat(rows.getFirst().actor().via()).isEqualTo("operator");
    assertThat(rows.getLast().actor().id()).isEqualTo(id(owner).toString());
    assertThat(rows.getLast().changes().getFirst().to()).isEqualTo("viewer");
    assertThat(rows.getLast().ip()).isEqualTo("192.0.2.1");

    var byOwner = new AuditQuery(id(owner).toString(), List.of("member.role"), null, null, null);
    assertThat(log.list(admin, byOwner, Page.first(50)).data()).hasSize(4);
    var other = new AuditQuery(null, List.of("key.create"), null, null, null);
    assertThat(log.list(admin, other, Page.first(50)).data()).isEmpty();
    var before = new AuditQuery(null, List.of(), null, null, rows.getLast().at());
    assertThat(log.list(admin, before, Page.first(50)).data()).isEmpty();
    OrgAccess billing = accounts.member(org, Role.BILLING);
    assertThat(refused(() -> log.list(billing, AuditQuery.ALL, Page.first(1))))
        .isEqualTo("forbidden");
    assertThat(refused(() -> log.listAll(owner.caller(), AuditQuery.ALL, Page.first(1))))
        .isEqualTo("forbidden");
    for (String change :
        List.of(
            "UPDATE audit_event SET action = 'x'",
            "DELETE FROM audit_event",
            "TRUNCATE audit_event")) {
      assertThatThrownBy(() -> testStore.execute(change)).hasMessageContaining("never changed");
    }
  }
}
