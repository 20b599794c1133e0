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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Simulation of three nodes and the ledger store in one thread and virtual time. Faults are lost
 * answers, late answers, calls that are committed after they timed out, repeated calls, crashes at
 * any record, charges that cannot be settled, a midnight at a month's end, outages of the store for
 * minutes, and machines that are suspended, whose clock is set, whose disk is full, or that never
 * return. After every step the store's sums must agree; at the end every acknowledged charge is
 * settled once, with its amount, or in the journal of a machine that did not return, and nothing is
 * leased.
 */
final class Simulation {
  static final long NEARLY_MIDNIGHT = 1_796_083_160_000L; // 40 seconds before a month ends
  private static final int STEPS = 400;

  private final Random random;
  private final InMemoryLedgerStore ledgerStore;
  private final SimulatedWorld world;
  private final List<ApiKey> keys = new ArrayList<>();
  private final List<SimulatedNode> nodes = new ArrayList<>();
  private int made;

  Simulation(Random random) {
    this(random, null);
  }

  Simulation(Random random, @Nullable Mutant mutant) {
    this.random = random;
    this.ledgerStore =
        new InMemoryLedgerStore(NEARLY_MIDNIGHT, mutant == null ? null : mutant.flaw());
    this.world = new SimulatedWorld(ledgerStore, mutant);
    for (int i = 0; i < 3; i++) {
      keys.add(key(i));
    }
    this.world.hasPoison = random.nextInt(4) == 0;
    for (int i = 0; i < 3; i++) {
      nodes.add(new SimulatedNode(new UUID(1, i), world));
    }
  }

  /** Returns a key. The first two share an organization; some budgets are tight. */
  private ApiKey key(int i) {
    OrgId org = new OrgId(new UUID(2, i / 2));
    KeyId id = new KeyId("key0000" + i);
    MicroUsd month = i == 1 ? keys.getFirst().org().monthlyLimit() : maybe(4_000);
    MicroUsd daily = maybe(1_500);
    MicroUsd monthly = maybe(3_000);
    ledgerStore.fund(org, new MicroUsd(100 + random.nextLong(random.nextBoolean() ? 500 : 5_000)));
    ledgerStore.limitMonth(org, month);
    ledgerStore.limitDay(id, daily);
    ledgerStore.limitMonth(id, monthly);
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

  /** Returns how many requests were served: none if an outage lasted all the time. */
  int run() throws Exception {
    for (int step = 0; step < STEPS; step++) {
      step();
      assertThat(ledgerStore.audit()).as("step %d", step).isEmpty();
      nodes.forEach(SimulatedNode::requireBalanced);
    }
    world.endOutage();
    nodes.forEach(SimulatedNode::clearDisk);
    boolean turnsUp = random.nextBoolean();
    boolean early = random.nextBoolean();
    if (turnsUp && early) {
      returnMachines();
    }
    rest();
    awaitLostNodesReleased();
    if (turnsUp) {
      returnMachines();
    }
    requireAcknowledgedIsBooked();
    requireBookedToItsDay();
    requireNoOverspend();
    requireNothingLeased();
    for (SimulatedNode node : nodes) {
      if (!node.isDead()) {
        node.stop(random);
      }
    }
    assertThat(ledgerStore.audit()).isEmpty();
    return world.served;
  }

  /** Ends all faults and requests: whatever happened before, no lease may remain. */
  private void rest() throws Exception {
    for (int round = 0; round < 140; round++) {
      world.pass(1_000);
      for (SimulatedNode node : nodes) {
        if (round < 40) {
          node.timedOut().commitOne(random);
        } else {
          node.timedOut().commitAll();
        }
        if (!mayContinue(node)) {
          continue;
        }
        node.deliverLate();
        node.endAll(random);
        node.lease(CallOutcome.FINE);
        node.tick(CallOutcome.FINE);
        node.report(CallOutcome.FINE);
        node.runLoop();
      }
      assertThat(ledgerStore.audit()).as("at rest, round %d", round).isEmpty();
      nodes.forEach(SimulatedNode::requireBalanced);
    }
  }

  /** Lets a day pass, after which nothing is held for a machine that did not return. */
  private void awaitLostNodesReleased() throws Exception {
    if (nodes.stream().noneMatch(SimulatedNode::isRemoved)) {
      return;
    }
    for (int round = 0; round < 300; round++) {
      world.pass(300_000);
      for (SimulatedNode node : nodes) {
        if (mayContinue(node)) {
          node.tick(CallOutcome.FINE);
          node.report(CallOutcome.FINE);
        }
      }
      world.releaseLostNodes();
      assertThat(ledgerStore.audit()).as("a day later, round %d", round).isEmpty();
    }
  }

  private void returnMachines() throws Exception {
    for (SimulatedNode node : nodes) {
      node.restart();
      node.timedOut().commitAll();
    }
    assertThat(ledgerStore.audit()).isEmpty();
  }

  /** True if a node runs; one that was released ends and starts again. */
  private boolean mayContinue(SimulatedNode node) throws Exception {
    if (node.isDead()) {
      node.recover();
      return !node.isDead();
    }
    node.checkClocks();
    if (node.isFenced()) {
      node.crash(random);
    }
    return !node.isDead();
  }

  private void requireNothingLeased() {
    Map<String, Long> outside = new HashMap<>(); // charged to a lease and not settled
    world.quarantined.forEach((_, charge) -> addToScopes(outside, charge, charge.cost().value()));
    ledgerStore
        .sums()
        .scopes()
        .forEach(
            (id, sums) ->
                assertThat(sums.leased())
                    .as("leased at rest, %s", id)
                    .isLessThanOrEqualTo(outside.getOrDefault(id, 0L)));
  }

  private void addToScopes(Map<String, Long> sums, Settlement charge, long amount) {
    for (ScopeKind kind : ScopeKind.ALL) {
      sums.merge(ledgerStore.payer(charge).scope(kind).id(), amount, Long::sum);
    }
  }

  private void step() throws Exception {
    SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
    if (!mayContinue(node)) {
      pass();
      return;
    }
    switch (random.nextInt(18)) {
      case 0, 1, 2, 16 -> node.ask(keys.get(random.nextInt(3)), 1 + random.nextInt(60));
      case 3, 4 -> node.endOne(random, true);
      case 5 -> node.lease(CallOutcome.any(random));
      case 6 -> node.tick(CallOutcome.any(random));
      case 7 -> node.sync();
      case 8 -> node.flush(1 + random.nextInt(20), CallOutcome.any(random));
      case 9 -> pass();
      case 10 -> node.deliverLate();
      case 11 -> node.timedOut().commitOne(random);
      case 12, 13 -> node.report(CallOutcome.any(random));
      case 14 -> world.releaseLostNodes();
      case 15 -> mishap(node);
      case 17 -> changeKey(random.nextInt(keys.size()));
      default -> {
        if (random.nextInt(10) == 0) {
          node.crash(random);
        }
      }
    }
    node.runLoop();
  }

  /** Rotates a key, or changes its budgets: nodes may not have heard of that yet. */
  private void changeKey(int i) {
    ApiKey old = keys.get(i);
    KeyId id = old.id();
    KeyLimits limits = old.limits();
    if (random.nextBoolean()) {
      id = new KeyId("made%04d".formatted(++made));
      ledgerStore.rotate(old.id(), id);
    } else {
      MicroUsd daily = changed(limits.dailyBudget(), 1_500);
      MicroUsd monthly = changed(limits.monthlyBudget(), 3_000);
      limits = new KeyLimits(null, null, null, null, daily, monthly);
      ledgerStore.limitDay(id, limits.dailyBudget());
      ledgerStore.limitMonth(id, limits.monthlyBudget());
    }
    keys.set(
        i,
        new ApiKey(
            id,
            old.lineage(),
            old.name(),
            old.lastFour(),
            old.org(),
            old.state(),
            null,
            old.scope(),
            limits));
  }

  /**
   * Returns another budget; none if there was none, because money held for none may be beyond it.
   */
  private @Nullable MicroUsd changed(@Nullable MicroUsd budget, int about) {
    return budget == null ? null : new MicroUsd(100 + random.nextInt(about));
  }

  /** Lets time pass: mostly moments, sometimes as long as an outage, a lease or a night. */
  private void pass() {
    int dice = random.nextInt(20);
    world.pass(random.nextInt(dice == 0 ? 120_000 : dice < 4 ? 5_000 : 200));
  }

  /** Begins a lasting fault of a machine or of the store. */
  private void mishap(SimulatedNode node) {
    switch (random.nextInt(12)) {
      case 0 -> world.outage(random.nextInt(300_000));
      case 1 -> {
        int millis = random.nextInt(1_200_000); // longer than a lease lasts, too
        world.pass(millis + 1); // the machine runs for a moment before
        node.clocks().suspendFor(millis);
      }
      case 2, 3 -> node.clocks().setBy(random.nextInt(7_200_000) - 3_600_000);
      case 4, 5 -> node.fillDisk(random.nextInt(10));
      case 6, 7 -> node.clearDisk();
      case 8 -> {
        if (random.nextInt(4) == 0 && nodes.stream().noneMatch(SimulatedNode::isRemoved)) {
          node.crashForGood(random);
        }
      }
      default -> {}
    }
  }

  private void requireAcknowledgedIsBooked() {
    world.acknowledged.forEach(
        (request, cost) ->
            assertThat(
                    ledgerStore
                        .charge(request)
                        .or(() -> world.outsideStore(request))
                        .map(Settlement::cost))
                .as("acknowledged %s", request)
                .contains(new MicroUsd(cost)));
    world.released.forEach(
        request -> assertThat(ledgerStore.charge(request)).as("released %s", request).isEmpty());
    ledgerStore
        .allCharges()
        .forEach(
            charge ->
                assertThat(charge.cost().value())
                    .as("the charge of %s", charge.request())
                    .isIn(
                        world.decided.get(charge.request()), world.progress.get(charge.request())));
  }

  /** Checks that every charge counts in the day of its admission, whenever it was settled. */
  private void requireBookedToItsDay() {
    Map<String, Long> days = new HashMap<>();
    for (Settlement charge : ledgerStore.allCharges()) {
      KeyId lineage = ledgerStore.lineage(charge.key());
      String day = "keyd:" + lineage + ":" + world.admitted.get(charge.request());
      days.merge(day, charge.cost().value(), Long::sum);
    }
    ledgerStore
        .sums()
        .scopes()
        .forEach(
            (id, sums) -> {
              if (id.startsWith("keyd:")) {
                assertThat(sums.used()).as("used of %s", id).isEqualTo(days.getOrDefault(id, 0L));
              }
            });
  }

  /**
   * Checks that charges without money held for them are only what providers reported above the
   * reservation, and what a lost node could not report as committed. The audit checks that what was
   * held never exceeded a limit.
   */
  private void requireNoOverspend() {
    Map<String, Long> overruns = new HashMap<>();
    ledgerStore
        .allCharges()
        .forEach(
            one -> {
              boolean mayBe = world.mayBeBeyond(one.request());
              addToScopes(overruns, one, (mayBe ? one.cost() : one.overrun()).value());
            });
    ledgerStore
        .sums()
        .scopes()
        .forEach(
            (id, sums) -> {
              if (ledgerStore.limit(id).isPresent()) {
                assertThat(sums.beyond())
                    .as("overspent %s", id)
                    .isLessThanOrEqualTo(overruns.getOrDefault(id, 0L));
              }
            });
  }
}
