package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import dev.tollgate.core.testkit.InMemoryLedgerStore;
import dev.tollgate.core.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Invariants of every {@link Simulation}; {@link MutantsTest} shows that violations are detected.
 */
class SimulationTest {
  @Test
  void whateverFailsNoMoneyIsLostDoubledOrOverspent() {
    Seeds.forEach(
        Integer.getInteger("tollgate.simulations", 200), random -> new Simulation(random).run());
  }

  /** Without faults a balance is spent entirely: exactly the affordable requests pass. */
  @Test
  void exactlyTheAffordableRequestsPass() {
    Seeds.forEach(
        Integer.getInteger("tollgate.simulations", 200) / 4, SimulationTest::spendToTheEnd);
  }

  /** Requests arrive all the time, each after the recall for the previous one began. */
  @Test
  void laterRequestsDoNotDelayAnAnsweredOne() throws LedgerStoreException {
    spendToTheEnd(new Random(-8081423117873937516L));
  }

  private static void spendToTheEnd(Random random) throws LedgerStoreException {
    InMemoryLedgerStore ledgerStore = new InMemoryLedgerStore(Simulation.NEARLY_MIDNIGHT);
    SimulatedWorld world = new SimulatedWorld(ledgerStore);
    OrgId org = new OrgId(new UUID(2, 0));
    long price = 1 + random.nextLong(40);
    long affordable = 1 + random.nextLong(100);
    ledgerStore.fund(org, new MicroUsd(price * affordable + random.nextLong(price)));
    List<SimulatedNode> nodes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      nodes.add(new SimulatedNode(new UUID(1, i), world));
    }
    ApiKey key =
        new ApiKey(
            new KeyId("onlykey1"),
            "k",
            "wxyz",
            new Org(org, "org", Org.State.ACTIVE, null),
            KeyState.ACTIVE,
            null,
            KeyScope.ALL,
            KeyLimits.DEFAULT);
    for (int i = 0; i < 2 * affordable; i++) {
      nodes.get(random.nextInt(3)).ask(key, price);
      round(world, nodes, 1 + random.nextInt(3));
    }
    round(world, nodes, 100);
    assertThat(world.served).isEqualTo(affordable);
    assertThat(world.refused).hasSize((int) affordable);
    assertThat(world.refused)
        .allMatch(refused -> refused.fault().code().wire().equals("insufficient_credits"));
    nodes.forEach(SimulatedNode::endAllAtTheirMost);
    for (SimulatedNode node : nodes) {
      node.stop(random);
    }
    assertThat(ledgerStore.audit()).isEmpty();
  }

  private static void round(SimulatedWorld world, List<SimulatedNode> nodes, int times) {
    for (int i = 0; i < times; i++) {
      world.pass(20);
      for (SimulatedNode node : nodes) {
        node.tick(CallOutcome.FINE);
        for (int calls = 0; calls < 5 && node.lease(CallOutcome.FINE); calls++) {
          node.runLoop();
        }
        node.runLoop();
      }
    }
  }
}
