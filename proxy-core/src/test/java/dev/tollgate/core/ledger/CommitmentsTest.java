package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import dev.tollgate.core.testkit.InMemoryLedgerStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Commitments that a node reports cover what it has committed, and are not reported all the time.
 */
class CommitmentsTest {
  private static final OrgId ORG = new OrgId(new UUID(2, 0));
  private static final ApiKey KEY =
      new ApiKey(
          new KeyId("onlykey1"),
          "k",
          "wxyz",
          new Org(ORG, "org", Org.State.ACTIVE, null),
          KeyState.ACTIVE,
          null,
          KeyScope.ALL,
          KeyLimits.DEFAULT);

  private final InMemoryLedgerStore ledgerStore = new InMemoryLedgerStore(1_795_000_000_000L);
  private final SimulatedWorld world = new SimulatedWorld(ledgerStore);
  private final SimulatedNode node = new SimulatedNode(new UUID(1, 0), world);
  private final Map<Scope, Long> reported = new HashMap<>();

  private int report() {
    List<Commitment> due = node.planner().commitments();
    due.forEach(each -> reported.put(each.scope(), each.amount().value()));
    return due.size();
  }

  private void pass(long millis) {
    world.pass(millis);
    node.tick(CallOutcome.FINE);
    while (node.lease(CallOutcome.FINE)) {
      node.runLoop();
    }
    node.runLoop();
  }

  private long charged() {
    return world.decided.values().stream().mapToLong(Long::longValue).sum();
  }

  @Test
  void reportsCoverWhatIsChargedAndReservedUntilTheNextOne() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    ledgerStore.fund(ORG, new MicroUsd(1_000_000_000));
    int reports = 0;
    for (int second = 0; second < 300; second++) {
      for (int i = 0; i < 10; i++) {
        pass(100);
        node.ask(KEY, 1 + random.nextInt(1_000));
        node.runLoop();
        if (random.nextInt(4) > 0) {
          node.endOne(random, true);
        }
        node.flush(100, CallOutcome.FINE);
      }
      if (second > 20) {
        long committed = charged() + node.ledger().accounts().iterator().next().reserved();
        assertThat(reported.values()).as("seed %d", seed).allMatch(amount -> amount >= committed);
      }
      reports += report();
    }
    assertThat(reports).as("seed %d", seed).isLessThan(150);
  }

  @Test
  void anIdleNodeReportsWhatItChargedAndNoMore() throws Exception {
    ledgerStore.fund(ORG, new MicroUsd(1_000_000));
    pass(100);
    node.ask(KEY, 1_000);
    pass(100);
    node.endOneAt(400);
    for (int i = 0; i < 3_000; i++) {
      pass(100);
      report();
    }
    assertThat(reported.values()).containsExactly(400L);
    assertThat(report()).isZero();
  }

  @Test
  void aLostReportIsRepeated() {
    ledgerStore.fund(ORG, new MicroUsd(1_000_000));
    node.ask(KEY, 1_000);
    pass(100);
    assertThat(report()).isOne();
    assertThat(report()).isZero();
    node.planner().commitmentsLost();
    assertThat(report()).isOne();
  }

  @Test
  void aNodeStopsSpendingBeforeItsLeasesAreLost() {
    for (int graceSeconds : new int[] {0, 2, 60, 600, 100_000}) {
      for (int ttlSeconds = 1; ttlSeconds < 10_000; ttlSeconds = ttlSeconds * 3 / 2 + 1) {
        Duration ttl = Duration.ofSeconds(ttlSeconds);
        Duration timeout = LedgerRules.of(Duration.ofSeconds(graceSeconds), ttl).heartbeatTimeout();
        assertThat(timeout).isPositive().isLessThan(ttl);
        if (ttlSeconds > 60) {
          assertThat(timeout).isLessThanOrEqualTo(ttl.minusSeconds(60));
        }
      }
    }
  }
}
