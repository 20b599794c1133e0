package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.ledger.LeasePlanner.TickCall;
import dev.tollgate.core.ledger.LedgerStore.LeaseStatement;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Grants that a node requests and money that it returns, in particular situations. */
class LeasePlannerTest extends LeasingScenario {

  @Test
  void anUnusedLeaseCostsNothing() throws Exception {
    ledgerStore.fund(ORG, new MicroUsd(1_000_000));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    ticks(5, 20, node);
    node.endOneAt(100);
    settle(node);
    ticks(3_000, 100, node);

    assertThat(node.grants()).isLessThanOrEqualTo(3);
    assertThat(node.returned()).isEqualTo(1);
  }

  @Test
  void recallsPartialGrantsAndLeasesThatHoldMoneyAreCounted() throws Exception {
    ledgerStore.fund(ORG, new MicroUsd(1_000));
    SimulatedNode first = node(0);
    SimulatedNode second = node(1);
    first.ask(key("onlykey1"), 400); // desires five times as much
    ticks(10, 20, first, second);
    assertThat(first.ledger().partialGrants()).isPositive();
    assertThat(first.ledger().recalls()).isZero();
    assertThat(first.ledger().leases()).isEqualTo(1);
    first.endOneAt(0);
    ticks(10, 20, first, second);
    assertThat(second.ledger().leases()).isZero();

    second.ask(key("onlykey1"), 900);
    ticks(50, 20, first, second);
    assertThat(second.running()).as("refused: %s", world.refused).isEqualTo(1);
    assertThat(first.ledger().recalls()).isEqualTo(1);
    assertThat(first.ledger().leases()).isZero();
    assertThat(second.ledger().recalls()).isZero();
    assertThat(second.ledger().leases()).isEqualTo(1);
    second.stop(new Random(1));
  }

  @Test
  void accountsUnusedForTwoMinutesAreForgotten() throws Exception {
    SimulatedNode node = node(0);
    int orgs = 2_000;
    for (int i = 0; i < orgs; i++) {
      OrgId org = new OrgId(new UUID(3, i));
      ledgerStore.fund(org, new MicroUsd(10_000));
      node.ask(key("key" + i, org), i % 3 == 0 ? 0 : 100);
    }
    for (int i = 0; i < 200 && node.running() < orgs; i++) {
      ticks(1, 20, node);
    }
    assertThat(node.running()).isEqualTo(orgs);
    assertThat(node.ledger().accounts()).hasSize(orgs);
    node.endAllAtTheirMost();
    settle(node);
    ticks(1_200, 100, node);

    assertThat(node.ledger().accounts()).isEmpty();
    assertThat(node.ledger().cachedPayers()).isLessThanOrEqualTo(orgs);
    ticks(620, 100, node);
    assertThat(node.ledger().cachedPayers()).isZero();
    assertThat(leased()).isZero();

    node.ask(key("key1", new OrgId(new UUID(3, 1))), 100);
    ticks(5, 20, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(1);
    node.requireBalanced();
    node.endOneAt(150);
    settle(node);
    ticks(1_200, 100, node);
    assertThat(node.ledger().accounts()).isEmpty();
    assertThat(ledgerStore.audit()).isEmpty();
    node.stop(new Random(1));
  }

  @Test
  void anAccountWithUnsettledChargesIsKeptAndItsMoneyNotSpentTwice() throws Exception {
    ledgerStore.fund(ORG, new MicroUsd(1_000));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 400);
    ticks(5, 20, node);
    node.endOneAt(400);
    node.sync();
    ticks(1_500, 100, node); // the settler is stuck
    assertThat(node.ledger().accounts()).hasSize(1);
    assertThat(leased()).isEqualTo(400);
    node.ask(key("onlykey1"), 500);
    ticks(5, 20, node);
    node.endOneAt(500);
    settle(node);
    ticks(1_500, 100, node);

    assertThat(node.ledger().accounts()).isEmpty();
    assertThat(leased()).isZero();
    node.ask(key("onlykey1"), 200);
    ticks(100, 20, node);
    assertThat(world.refused).hasSize(1);
  }

  @Test
  void aCloseThatMayBeLostIsRepeatedBeforeTheNextGrant() throws Exception {
    ledgerStore.fund(ORG, new MicroUsd(1_000));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    ticks(5, 20, node);
    node.endOneAt(100);
    settle(node);
    boolean lost = false;
    while (!lost) {
      world.pass(100);
      TickCall call = node.planner().nextTick(world.nanos).orElseThrow();
      lost = call.statements().stream().anyMatch(LeaseStatement::last);
      LedgerStore.TickAnswer answer =
          ledgerStore.tick(node.holder(), call.number(), call.statements());
      if (lost) {
        node.planner().tickFailed(call, world.nanos);
      } else {
        node.planner().ticked(call, answer, world.nanos);
      }
    }
    node.ask(key("onlykey1"), 100);
    assertThat(node.lease(CallOutcome.FINE)).isFalse();
    ticks(10, 100, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(1);
    node.endOneAt(10);
    settle(node);
    ticks(1_200, 100, node);
    assertThat(leased()).isZero();
    assertThat(ledgerStore.audit()).isEmpty();
  }

  @Test
  void aStoppedNodeStaysStoppedWhateverTheStoreAnswers() {
    ledgerStore.fund(ORG, new MicroUsd(10_000));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    ticks(10, 20, node);
    node.planner().stop("stopping");
    ticks(10, 100, node);
    assertThat(node.ledger().isOpen()).isFalse();
  }

  @Test
  void afterASuspensionNothingIsAdmittedBeforeTheStoreAnswersAgain() {
    ledgerStore.fund(ORG, new MicroUsd(10_000));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    ticks(10, 20, node);
    world.pass(200);
    node.tick(CallOutcome.LATE);
    world.pass(1);
    node.planner().suspend(world.nanos);
    assertThat(node.ledger().isOpen()).isFalse();
    node.deliverLate(); // the call began before
    assertThat(node.ledger().isOpen()).isFalse();
    node.tick(CallOutcome.FINE);
    assertThat(node.ledger().isOpen()).isTrue();
  }

  @Test
  void aFencedNodeStaysClosedAfterALateAnswerOfAnOlderCall() {
    ledgerStore.fund(ORG, new MicroUsd(10_000));
    SimulatedNode node = node(0);
    world.pass(200);
    node.tick(CallOutcome.LATE);
    var _ = ledgerStore.open(node.id(), UUID.randomUUID());
    node.ask(key("onlykey1"), 100);
    node.lease(CallOutcome.FINE);
    node.deliverLate();
    assertThat(node.ledger().isOpen()).isFalse();
    node.runLoop();
    assertThat(world.refused).hasSize(1);
  }

  @Test
  void aLargeRequestThatWaitsDoesNotHoldUpSmallOnes() throws Exception {
    ledgerStore.fund(ORG, new MicroUsd(10_000));
    SimulatedNode dead = node(0);
    SimulatedNode node = node(1);
    dead.ask(key("onlykey1"), 500);
    ticks(10, 20, dead, node);
    node.ask(key("onlykey1"), 9_900);
    node.ask(key("onlykey1"), 10);
    node.ask(key("onlykey1"), 10);
    ticks(5, 20, node);
    assertThat(node.running()).isEqualTo(2);
    ticks(100, 20, node);
    assertThat(world.refused).hasSize(1);
    node.stop(new Random(1));
  }

  @Test
  void aLostGrantOfTheLastMoneyIsNotFollowedByARefusal() {
    ledgerStore.fund(ORG, new MicroUsd(100));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    node.lease(CallOutcome.ANSWER_LOST);
    ticks(10, 20, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(1);
  }

  @Test
  void moneyOfALostGrantIsFreeWithTheNextTick() throws Exception {
    ledgerStore.fund(ORG, new MicroUsd(100));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    node.lease(CallOutcome.ANSWER_LOST);
    node.planner().stop("nothing is asked for again");
    assertThat(leased()).isEqualTo(100);
    ticks(1, 100, node);
    assertThat(leased()).isZero();
  }

  @Test
  void aTimedOutGrantIsStaleAfterTheNextStatement() throws Exception {
    ledgerStore.fund(ORG, new MicroUsd(100));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    node.lease(CallOutcome.TIMED_OUT);
    node.planner().stop("nothing is asked for again");
    ticks(1, 100, node);
    node.timedOut().commitOne(new Random(1));
    assertThat(leased()).isZero();
  }

  @Test
  void aChargeFromALostGrantNeedsNoFurtherGrant() throws Exception {
    ledgerStore.fund(ORG, new MicroUsd(1_000));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    ticks(1, 20, node);
    assertThat(leased()).isEqualTo(500);
    node.endOneAt(800);
    node.ask(key("onlykey1"), 10);
    node.lease(CallOutcome.ANSWER_LOST);
    node.sync();
    node.flush(9, CallOutcome.FINE);
    world.pass(100);
    node.tick(CallOutcome.LOST);
    node.lease(CallOutcome.FINE);
    ticks(5, 100, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(1);
  }

  @Test
  void recalledMoneyIsReturnedWhileGrantsAreRequestedAllTheTime() {
    ledgerStore.fund(ORG, new MicroUsd(1_000));
    SimulatedNode node = node(0);
    SimulatedNode other = node(1);
    SimulatedNode dead = node(2);
    node.ask(key("onlykey1"), 400);
    dead.ask(key("onlykey1"), 1);
    ticks(5, 20, node, other, dead);
    node.endOneAt(1);
    node.ask(key("onlykey1"), 1_000);
    node.ask(key("onlykey1"), 1_000); // with two waiters the next call begins at once
    other.ask(key("onlykey1"), 900);
    for (int i = 0; i < 20; i++) {
      ticks(1, 20, other);
      node.deliverLate();
      node.lease(CallOutcome.LATE);
      node.tick(CallOutcome.FINE);
    }
    assertThat(other.running()).as("refused: %s", world.refused).isEqualTo(1);
  }

  @Test
  void aRejectedStatementStopsNeitherTheNodeNorOtherLeases() throws Exception {
    ledgerStore.fund(ORG, new MicroUsd(1_000_000));
    var strict = LedgerRules.of(Duration.ZERO, Duration.ofMinutes(10));
    SimulatedNode node = new SimulatedNode(new UUID(1, 0), world, strict);
    String poison = "keyd:daykey07";
    useOfTheDay(20, node);
    int failures = 0;
    for (int i = 0; i < 2_000; i++) {
      world.pass(100);
      Optional<TickCall> due = node.planner().nextTick(world.nanos);
      if (due.isEmpty()) {
        continue;
      }
      List<LeaseStatement> statements = due.get().statements();
      if (statements.stream().anyMatch(one -> one.scope().id().startsWith(poison))) {
        failures++;
        node.planner().tickFailed(due.get(), world.nanos);
      } else {
        var answer = ledgerStore.tick(node.holder(), due.get().number(), statements);
        node.planner().ticked(due.get(), answer, world.nanos);
      }
      assertThat(node.ledger().isOpen()).isTrue();
    }
    assertThat(failures).isBetween(5, 20);
    assertThat(ledgerStore.sums().scopes())
        .allSatisfy(
            (scope, sums) -> {
              if (!scope.startsWith(poison)) {
                assertThat(sums.leased()).as(scope).isZero();
              }
            });
  }

  @Test
  void manyLeasesAreStatedInPortions() throws Exception {
    ledgerStore.fund(ORG, new MicroUsd(1_000_000));
    SimulatedNode node = node(0);
    useOfTheDay(1_100, node);
    ticks(2, 100, node);
    world.pass(61_000);
    int most = 0;
    for (int i = 0; i < 10; i++) {
      world.pass(100);
      TickCall call = node.planner().nextTick(world.nanos).orElseThrow();
      most = Math.max(most, call.statements().size());
      var answer = ledgerStore.tick(node.holder(), call.number(), call.statements());
      node.planner().ticked(call, answer, world.nanos);
    }
    assertThat(most).isBetween(100, 500);
    assertThat(leased()).isZero();
  }

  /** Lets each of so many keys spend from its daily budget, and settles that. */
  private void useOfTheDay(int keys, SimulatedNode node) throws Exception {
    for (int i = 0; i < keys; i++) {
      String id = "daykey%02d".formatted(i);
      ledgerStore.limitDay(new KeyId(id), new MicroUsd(100_000));
      node.ask(keyOfTheDay(id), 10);
      while (node.running() == 0) {
        ticks(1, 1, node);
      }
      node.endOneAt(1);
    }
    for (int settled = 0; settled < keys; settled += 100) {
      settle(node);
    }
  }

  @Test
  void atMidnightNoRequestWaits() {
    long midnight = Window.at(ledgerStore.millis()).resetsAt(ScopeKind.KEY_DAY).toEpochMilli();
    ledgerStore.fund(ORG, new MicroUsd(1_000_000));
    ledgerStore.limitDay(new KeyId("busykey1"), new MicroUsd(100_000));
    ledgerStore.limitDay(new KeyId("rarekey1"), new MicroUsd(100_000));
    ledgerStore.limitDay(new KeyId("idlekey1"), new MicroUsd(100_000));
    ApiKey busy = keyOfTheDay("busykey1");
    ApiKey rare = keyOfTheDay("rarekey1");
    SimulatedNode node = node(0);
    world.pass(midnight - ledgerStore.millis() - Duration.ofMinutes(15).toMillis());
    ticks(1, 100, node);
    node.ask(keyOfTheDay("idlekey1"), 100);
    ticks(10, 20, node);
    node.endOneAt(1);
    ticks(7 * 60, 1_000, node);
    node.ask(rare, 100);
    ticks(10, 20, node);
    node.endOneAt(1);
    while (ledgerStore.millis() < midnight - 200) {
      node.ask(busy, 100);
      ticks(1, 200, node);
      node.endOneAt(1);
    }

    world.pass(midnight - ledgerStore.millis());
    int before = node.grants();
    node.ask(busy, 100);
    node.ask(rare, 100);
    node.runLoop();
    assertThat(node.running()).isEqualTo(2);
    assertThat(node.grants()).isEqualTo(before);
    assertThat(ledgerStore.sums().scopes().keySet())
        .filteredOn(scope -> scope.startsWith("keyd:idlekey1"))
        .as("unused for ten minutes")
        .hasSize(1);
  }

  @Test
  void aRequestOfAPastDayLeavesNothingLeased() throws Exception {
    long then = ledgerStore.millis();
    SimulatedNode node = nodeThatHadUsedADay();
    ticks(5, 100, node);
    assertThat(node.ledger().accounts()).as("accounts of the day").isEmpty();

    node.ask(keyOfTheDay("slowkey1"), 100, then);
    ticks(5, 20, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(1);
    node.requireBalanced();
    node.endOneAt(1);
    settle(node);
    ticks(700, 100, node);
    assertThat(leased()).isZero();
  }

  @Test
  void aRequestThatWaitsWhileItsDayIsForgottenLeavesNothingLeased() throws Exception {
    long then = ledgerStore.millis();
    SimulatedNode node = nodeThatHadUsedADay();
    for (CallOutcome fate : List.of(CallOutcome.LOST, CallOutcome.FINE, CallOutcome.LATE)) {
      world.pass(100);
      node.tick(fate);
    }
    node.ask(keyOfTheDay("slowkey1"), 100, then);
    node.lease(CallOutcome.FINE);
    node.deliverLate();
    assertThat(node.ledger().accounts()).as("accounts of the day").hasSize(1);

    ticks(5, 20, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(1);
    node.requireBalanced();
    node.endOneAt(1);
    settle(node);
    ticks(700, 100, node);
    assertThat(leased()).isZero();
  }

  /** The store was down, or the disk full, and then the body of an old request arrived. */
  @Test
  void unsettledChargesOfAPastDayAreNotForgotten() throws Exception {
    long then = ledgerStore.millis();
    SimulatedNode node = nodeThatHadUsedADay(0);
    ticks(5, 100, node);
    node.ask(keyOfTheDay("slowkey1"), 100, then);
    ticks(5, 20, node);
    node.endOneAt(1);
    ticks(700, 100, node);
    settle(node);
    ledgerStore
        .sums()
        .scopes()
        .forEach(
            (id, sums) -> {
              if (ledgerStore.limit(id).isPresent()) {
                assertThat(sums.beyond()).as("of %s without money held for it", id).isZero();
              }
            });
    ticks(700, 100, node);
    assertThat(leased()).isZero();
    assertThat(node.ledger().accounts()).as("accounts of the day").isEmpty();
  }

  private SimulatedNode nodeThatHadUsedADay() throws Exception {
    return nodeThatHadUsedADay(1);
  }

  /** Returns a node so far in the next day that no request of the previous one is expected. */
  private SimulatedNode nodeThatHadUsedADay(int settled) throws Exception {
    ledgerStore.fund(ORG, new MicroUsd(1_000_000));
    ledgerStore.limitDay(new KeyId("slowkey1"), new MicroUsd(100_000));
    SimulatedNode node = node(0);
    ticks(1, 100, node);
    node.ask(keyOfTheDay("slowkey1"), 100);
    ticks(5, 20, node);
    node.endOneAt(1);
    node.sync();
    node.flush(settled, CallOutcome.FINE);
    ticks(700, 100, node);
    long midnight = Window.at(ledgerStore.millis()).resetsAt(ScopeKind.KEY_DAY).toEpochMilli();
    world.pass(midnight + Duration.ofMinutes(16).toMillis() - ledgerStore.millis());
    return node;
  }
}
