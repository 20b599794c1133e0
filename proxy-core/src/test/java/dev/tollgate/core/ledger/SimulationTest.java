package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.ledger.SimulatedNode.Fate;
import dev.tollgate.core.ledger.SimulatedNode.World;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import dev.tollgate.core.testkit.InMemoryBank;
import dev.tollgate.core.testkit.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Three nodes and the books in one thread and virtual time: lost answers, late answers, repeated
 * calls, crashes at any record, midnights. After every step the books must add up; at the end every
 * acknowledged charge stands in them once, with its amount.
 */
class SimulationTest {
  private static final long NEARLY_MIDNIGHT = 1_796_083_160_000L; // 40 seconds before a month ends
  private static final int STEPS = 400;

  @Test
  void whateverFailsNoMoneyIsLostDoubledOrOverspent() {
    Seeds.forEach(random -> new Simulation(random).run(false));
  }

  @Test
  void acknowledgingBeforeTheSyncIsCaught() {
    assertThatThrownBy(() -> Seeds.forEach(random -> new Simulation(random).run(true)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("acknowledged");
  }

  /** One run. */
  private static final class Simulation {
    private final Random random;
    private final InMemoryBank bank = new InMemoryBank(NEARLY_MIDNIGHT);
    private final World world = new World(bank);
    private final List<ApiKey> keys = new ArrayList<>();
    private final List<SimulatedNode> nodes = new ArrayList<>();

    Simulation(Random random) {
      this.random = random;
      for (int i = 0; i < 3; i++) {
        keys.add(key(i));
      }
      for (int i = 0; i < 3; i++) {
        nodes.add(new SimulatedNode(new UUID(1, i), world));
      }
    }

    /** The first two share an organization; budgets are tight now and then. */
    private ApiKey key(int i) {
      OrgId org = new OrgId(new UUID(2, i / 2));
      KeyId id = new KeyId("key0000" + i);
      MicroUsd month = maybe(4_000);
      MicroUsd daily = maybe(1_500);
      MicroUsd monthly = maybe(3_000);
      bank.fund(org, new MicroUsd(1_000 + random.nextLong(5_000)));
      bank.limitMonth(org, month);
      bank.limitDay(id, daily);
      bank.limitMonth(id, monthly);
      return new ApiKey(
          id,
          "k",
          "wxyz",
          new Org(org, "org", Org.State.ACTIVE, month),
          KeyState.ACTIVE,
          null,
          KeyScope.ALL,
          new KeyLimits(null, null, null, null, daily, monthly));
    }

    private @Nullable MicroUsd maybe(int about) {
      return random.nextInt(3) == 0 ? null : new MicroUsd(100 + random.nextInt(about));
    }

    void run(boolean early) throws Exception {
      if (early) {
        nodes.forEach(node -> node.journal().acknowledgeUnsynced());
      }
      for (int step = 0; step < STEPS; step++) {
        step();
        assertThat(bank.audit()).as("step %d", step).isEmpty();
        nodes.forEach(SimulatedNode::requireBalanced);
      }
      rest();
      for (SimulatedNode node : nodes) {
        node.stop(random);
      }
      assertThat(bank.audit()).isEmpty();
      requireAcknowledgedIsBooked();
      requireBookedToItsDay();
      assertThat(world.served).isPositive();
    }

    /** Faults end, and nobody asks for anything: whatever happened before, no lease stays. */
    private void rest() throws Exception {
      for (int turn = 0; turn < 140; turn++) {
        world.pass(1_000);
        for (SimulatedNode node : nodes) {
          node.deliverLate();
          if (turn < 40) {
            node.bookOneGivenUp(random);
          }
          node.endAll(random);
          node.lease(Fate.FINE);
          node.tick(Fate.FINE);
          node.runLoop();
        }
        assertThat(bank.audit()).as("at rest, turn %d", turn).isEmpty();
        nodes.forEach(SimulatedNode::requireBalanced);
      }
      bank.sums()
          .scopes()
          .forEach((id, scope) -> assertThat(scope.leased()).as("at rest, %s", id).isZero());
    }

    private void step() throws Exception {
      SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
      switch (random.nextInt(13)) {
        case 0, 1, 2 -> node.ask(keys.get(random.nextInt(3)), 1 + random.nextInt(60));
        case 3, 4 -> node.endOne(random, true);
        case 5 -> node.lease(Fate.any(random));
        case 6 -> node.tick(Fate.any(random));
        case 7 -> node.journal().sync();
        case 8 -> node.flush(1 + random.nextInt(20), Fate.any(random));
        case 9 -> pass();
        case 10 -> node.deliverLate();
        case 11 -> node.bookOneGivenUp(random);
        default -> {
          if (random.nextInt(10) == 0) {
            node.crash(random);
          }
        }
      }
      node.runLoop();
    }

    /** Mostly moments, now and then as long as an outage, a lease or a night. */
    private void pass() {
      int dice = random.nextInt(20);
      world.pass(random.nextInt(dice == 0 ? 120_000 : dice < 4 ? 5_000 : 200));
    }

    private void requireAcknowledgedIsBooked() {
      world.acknowledged.forEach(
          (request, cost) ->
              assertThat(bank.charge(request).map(charge -> charge.cost().value()))
                  .as("acknowledged %s", request)
                  .contains(cost));
      world.released.forEach(
          request -> assertThat(bank.charge(request)).as("released %s", request).isEmpty());
      bank.allCharges()
          .forEach(
              charge ->
                  assertThat(charge.cost().value())
                      .as("the charge of %s", charge.request())
                      .isIn(
                          world.decided.get(charge.request()),
                          world.progress.get(charge.request())));
    }

    /** Whenever a request ended and was booked: it counts in the day in which it was admitted. */
    private void requireBookedToItsDay() {
      Map<String, Long> days = new HashMap<>();
      for (Settlement charge : bank.allCharges()) {
        String day = "keyd:" + charge.key() + ":" + world.admitted.get(charge.request());
        days.merge(day, charge.cost().value(), Long::sum);
      }
      bank.sums()
          .scopes()
          .forEach(
              (id, sums) -> {
                if (id.startsWith("keyd:")) {
                  assertThat(sums.used()).as("used of %s", id).isEqualTo(days.getOrDefault(id, 0L));
                }
              });
    }
  }

  /** Without faults a balance is spent to its end: the affordable requests pass, and no other. */
  @Test
  void exactlyTheAffordableRequestsPass() {
    Seeds.forEach(
        50,
        random -> {
          InMemoryBank bank = new InMemoryBank(NEARLY_MIDNIGHT);
          World world = new World(bank);
          OrgId org = new OrgId(new UUID(2, 0));
          long price = 1 + random.nextLong(40);
          long affordable = 1 + random.nextLong(100);
          bank.fund(org, new MicroUsd(price * affordable + random.nextLong(price)));
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
            turn(world, nodes, 1 + random.nextInt(3));
          }
          turn(world, nodes, 100);
          assertThat(world.served).isEqualTo(affordable);
          assertThat(world.refused).hasSize((int) affordable);
          assertThat(world.refused)
              .allMatch(refused -> refused.fault().code().wire().equals("insufficient_credits"));
          nodes.forEach(SimulatedNode::endAllAtTheirMost);
          for (SimulatedNode node : nodes) {
            node.stop(random);
          }
          assertThat(bank.audit()).isEmpty();
        });
  }

  private static void turn(World world, List<SimulatedNode> nodes, int times) {
    for (int i = 0; i < times; i++) {
      world.pass(20);
      for (SimulatedNode node : nodes) {
        node.tick(Fate.FINE);
        for (int calls = 0; calls < 5 && node.lease(Fate.FINE); calls++) {
          node.runLoop();
        }
        node.runLoop();
      }
    }
  }
}
