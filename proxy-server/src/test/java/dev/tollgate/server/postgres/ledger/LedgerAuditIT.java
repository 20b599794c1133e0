package dev.tollgate.server.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.LedgerStore.GrantItem;
import dev.tollgate.core.ledger.LedgerStore.GrantRequest;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.postgres.ledger.LedgerAudit.Violation;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Violations are reported, by whichever node runs the audit. */
@Execution(ExecutionMode.CONCURRENT)
class LedgerAuditIT {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final KeyId UNKNOWN = new KeyId("nobody00");
  private final long now = System.currentTimeMillis();
  private TestLedgerStore testStore;
  private long calls;
  private LedgerAudit audit;

  @BeforeEach
  void charge() throws Exception {
    testStore = TestLedgerStore.open();
    audit = testStore.store().ledgerAudit();
    OrgId org = testStore.newOrg();
    KeyId key = testStore.newKey(org);
    testStore.fund(org, 100);
    LeaseHolder node = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
    testStore
        .ledgerStore()
        .settle(node, List.of(TestLedgerStore.charge(RequestId.at(now), org, key, 0, 7)));
    var want = new GrantItem(ScopeKind.ORG, new MicroUsd(1), new MicroUsd(1));
    testStore
        .ledgerStore()
        .grant(
            node,
            new GrantRequest(++calls, new Payer(org, key, Window.at(now)), List.of(want), true));
    assertThat(audit.run()).isEmpty();
  }

  @AfterEach
  void close() {
    testStore.close();
  }

  @Test
  void aChargeThatWasPutAsideIsNamedUntilSomeoneDecided() throws Exception {
    LeaseHolder node = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
    var orphan =
        TestLedgerStore.charge(RequestId.at(now), new OrgId(UUID.randomUUID()), UNKNOWN, 0, 5);
    testStore.ledgerStore().quarantine(node, orphan, "nobody is charged");
    assertThat(audit.run())
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.invariant()).isEqualTo(6);
              assertThat(violation.what())
                  .contains(orphan.request().value(), "5", "nobody is charged");
            });
    testStore.store().ledgerQuarantine().drop(orphan.request().value(), "somebody");
    assertThat(audit.run()).isEmpty();
  }

  @Test
  void everySumThatDoesNotAgreeIsNamed() throws Exception {
    testStore.execute("UPDATE scope_account SET limit_micro = 1 WHERE scope_id LIKE 'org:%'");
    testStore.execute("UPDATE scope_account SET used_micro = 9 WHERE scope_id LIKE 'keyd:%'");
    testStore.execute("UPDATE scope_account SET leased_micro = 3 WHERE scope_id LIKE 'orgm:%'");
    testStore.execute("UPDATE node_epoch SET epoch = 2");
    assertThat(audit.run()).extracting(Violation::invariant).contains(1, 2, 3, 4, 8, 9);
  }

  @Test
  void aForgedChargeOfToday() throws Exception {
    testStore.execute("UPDATE settlement SET cost_micro = 8");
    assertThat(audit.run()).hasSize(4).extracting(Violation::invariant).containsOnly(2);
  }

  @Test
  void aForgedChargeOfAClosedDayIsFoundByTheFullAudit() throws Exception {
    testStore.setClock(now + Duration.ofDays(2).toMillis());
    testStore.store().ledgerPartitions().close();
    testStore.execute("UPDATE settlement SET cost_micro = 8");
    assertThat(audit.run()).isEmpty();
    assertThat(audit.runFull()).extracting(Violation::what).anyMatch(it -> it.contains("kept 7"));
    testStore.execute("UPDATE settlement SET cost_micro = 7");
    testStore.execute("UPDATE settlement_rollup SET sum_micro = 9");
    assertThat(audit.run()).isNotEmpty();
  }

  @Test
  void oneNodeDoesItEverySoOften() throws Exception {
    assertThat(audit.last()).isEmpty();
    assertThat(audit.runIfDue(HOUR)).hasValueSatisfying(found -> assertThat(found).isEmpty());
    assertThat(audit.runIfDue(HOUR)).isEmpty();
    testStore.execute("UPDATE scope_account SET used_micro = used_micro + 1");
    assertThat(audit.last()).hasValueSatisfying(last -> assertThat(last.violations()).isZero());
    testStore.setClock(now + HOUR.toMillis() * 2);
    assertThat(audit.runIfDue(HOUR)).isPresent();
    assertThat(audit.last()).hasValueSatisfying(last -> assertThat(last.violations()).isPositive());
  }

  @Test
  void anAuditThatIsNotDueReturnsAtOnce() throws Exception {
    try (var other = testStore.store().pool().getConnection();
        var lock = other.createStatement()) {
      lock.execute("SELECT pg_advisory_lock(7455834)");
      assertThat(audit.runIfDue(HOUR)).isEmpty();
      lock.execute("SELECT pg_advisory_unlock(7455834)");
    }
    assertThat(audit.runIfDue(HOUR)).isPresent();
  }
}
