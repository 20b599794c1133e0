package dev.tollgate.server.account.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.TestAccounts;
import dev.tollgate.server.postgres.TestLedgerStore;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Alerts of spending: to whom, and once for each occasion. */
class SpendingAlertsIT {
  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private final TestAccounts accounts = new TestAccounts(testStore);
  private final Queue<String> mails = new ConcurrentLinkedQueue<>();
  private final SpendingAlerts alerts =
      new SpendingAlerts(testStore.store().pool(), new RecordedMail());
  private OrgId org;
  private KeyId key;
  private LeaseHolder node;
  private OrgAccess owner;
  private boolean isFailing;

  /** Mails as text, which fail to be written if the test says so. */
  private final class RecordedMail implements OrgMail {
    @Override
    public void webhookSecretRotated(Connection connection, String to, String organization) {
      throw new AssertionError("no alert");
    }

    @Override
    public void monthlyLimitReached(
        Connection connection, String to, String organization, int percent, long limitMicro) {
      mails.add(to + " " + percent + "% of " + limitMicro);
    }

    @Override
    public void balanceIsBelow(Connection connection, String to, String organization, long micro) {
      if (isFailing) {
        throw new IllegalStateException("not written");
      }
      mails.add(to + " below " + micro);
    }
  }

  @BeforeEach
  void make() throws Exception {
    testStore.execute("UPDATE organization SET closed_at = now(), state = 'suspended'");
    org = testStore.newOrg();
    key = testStore.newKey(org);
    node = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
    owner = accounts.member(org, Role.OWNER);
  }

  private void set(String assignments) throws Exception {
    testStore.execute("UPDATE organization SET " + assignments + " WHERE id = ?", org.value());
  }

  private void charge(long micro) throws Exception {
    testStore
        .ledgerStore()
        .settle(
            node,
            List.of(
                TestLedgerStore.charge(
                    RequestId.at(System.currentTimeMillis()), org, key, 0, micro)));
  }

  private void fund(long micro) throws Exception {
    testStore
        .store()
        .credits()
        .grant(org, new MicroUsd(micro), UUID.randomUUID().toString(), "test");
  }

  /** Sends what is due; returns the mails without the owner's address. */
  private List<String> sent() throws Exception {
    mails.clear();
    alerts.send();
    return mails.stream().map(each -> each.replace(address(owner) + " ", "")).toList();
  }

  private static String address(OrgAccess member) {
    return member.caller().person().email();
  }

  @Test
  void eachPercentageOfTheLimitIsToldOnceAMonth() throws Exception {
    set("monthly_limit_micro = 1000");
    charge(799);
    assertThat(sent()).isEmpty();
    charge(1);
    assertThat(sent()).containsExactly("80% of 1000");
    charge(150);
    assertThat(sent()).isEmpty();
    charge(50);
    assertThat(sent()).containsExactly("100% of 1000");
    set("alerts = '{50,80,100}'");
    assertThat(sent()).containsExactly("50% of 1000");
    assertThat(sent()).isEmpty();

    testStore.execute(
        "UPDATE spending_alert SET month = month - interval '1 month' WHERE org_id = ?",
        org.value());
    assertThat(sent()).containsExactly("50% of 1000", "80% of 1000", "100% of 1000");
  }

  @Test
  void theBalanceIsToldOnceForEachFall() throws Exception {
    set("alert_below_micro = 100");
    fund(100);
    assertThat(sent()).isEmpty();
    charge(1);
    assertThat(sent()).containsExactly("below 100");
    charge(50);
    assertThat(sent()).isEmpty();
    fund(50);
    assertThat(sent()).as("still below").isEmpty();
    fund(1);
    assertThat(sent()).isEmpty();
    charge(1);
    assertThat(sent()).containsExactly("below 100");
    set("alert_below_micro = NULL");
    assertThat(sent()).isEmpty();
    set("alert_below_micro = 100");
    assertThat(sent()).containsExactly("below 100");
  }

  @Test
  void aBalanceThatRoseAndFellBetweenTwoLooksIsToldAgain() throws Exception {
    set("alert_below_micro = 100");
    fund(99);
    assertThat(sent()).containsExactly("below 100");
    fund(1);
    charge(1);
    assertThat(sent()).containsExactly("below 100");
  }

  @Test
  void ownersAndBillingMembersWhoAreActiveGetIt() throws Exception {
    OrgAccess billing = accounts.member(org, Role.BILLING);
    OrgAccess disabled = accounts.member(org, Role.BILLING);
    testStore.execute(
        "UPDATE user_account SET state = 'disabled' WHERE email = ?", address(disabled));
    for (Role role : List.of(Role.ADMIN, Role.DEVELOPER, Role.VIEWER)) {
      assertThat(accounts.member(org, role)).isNotNull();
    }
    set("alert_below_micro = 1");

    assertThat(sent()).containsExactlyInAnyOrder("below 1", address(billing) + " below 1");
  }

  @Test
  void withoutALimitOrClosedThereIsNone() throws Exception {
    set("monthly_limit_micro = NULL");
    charge(10);
    assertThat(sent()).isEmpty();
    set("monthly_limit_micro = 0");
    assertThat(sent()).isEmpty();
    set("monthly_limit_micro = 1, closed_at = now(), state = 'suspended'");
    assertThat(sent()).isEmpty();
  }

  @Test
  void ofManyNodesOneSendsIt() throws Exception {
    int orgs = SpendingAlerts.ORGS_MAX + 20;
    set("alert_below_micro = 1");
    for (int i = 1; i < orgs; i++) {
      OrgId other = testStore.newOrg();
      accounts.join(other, owner.caller().person(), Role.OWNER);
      testStore.execute(
          "UPDATE organization SET alert_below_micro = 1 WHERE id = ?", other.value());
    }
    List<Callable<Integer>> nodes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      nodes.add(new SpendingAlerts(testStore.store().pool(), new RecordedMail())::send);
    }
    int sent = 0;
    try (var threads = Executors.newFixedThreadPool(nodes.size())) {
      for (Future<Integer> each : threads.invokeAll(nodes)) {
        sent += each.get();
      }
    }
    assertThat(sent).isEqualTo(orgs);
    assertThat(mails).hasSize(orgs);
  }

  @Test
  void anAlertWhoseMailIsNotWrittenIsDueAgain() throws Exception {
    set("alert_below_micro = 1");
    isFailing = true;
    assertThatThrownBy(alerts::send).hasMessage("not written");
    isFailing = false;
    assertThat(sent()).containsExactly("below 1");
  }
}
