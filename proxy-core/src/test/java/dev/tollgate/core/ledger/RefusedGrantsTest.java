package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.ledger.LeasePlanner.GrantCall;
import dev.tollgate.core.money.MicroUsd;
import org.junit.jupiter.api.Test;

/** Refusals of grants that are final, and those after which a request continues to wait. */
class RefusedGrantsTest extends LeasingScenario {
  @Test
  void recalledMoneyIsLeftToTheRequester() {
    ledgerStore.fund(ORG, new MicroUsd(10_000));
    SimulatedNode idle = node(0);
    SimulatedNode asking = node(1);
    idle.ask(key("onlykey1"), 1_000);
    ticks(10, 20, idle, asking);
    idle.endOneAt(1);
    ticks(10, 20, idle, asking);

    asking.ask(key("onlykey1"), 9_000);
    ticks(100, 20, idle, asking);
    assertThat(asking.running()).as("refused: %s", world.refused).isEqualTo(1);
  }

  @Test
  void aRefusalIsNotFinalWhileMoneyForTheSameSumIsOnItsWayToTheNode() {
    ledgerStore.fund(ORG, new MicroUsd(100));
    SimulatedNode node = node(0);
    node.ask(key("onekey01"), 10);
    node.lease(CallOutcome.LATE);
    node.ask(key("twokey01"), 60);
    node.lease(CallOutcome.FINE);
    node.runLoop();
    assertThat(world.refused).isEmpty();
    node.deliverLate();
    ticks(10, 20, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(2);
  }

  @Test
  void aRefusalIsNotFinalIfMoneyArrivedMeanwhileAndLessIsLacking() {
    ledgerStore.fund(ORG, new MicroUsd(100));
    SimulatedNode node = node(0);
    node.ask(key("onekey01"), 10);
    node.ask(key("twokey01"), 60);
    node.lease(CallOutcome.LATE);
    node.deliverLate();
    ticks(10, 20, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(2);
  }

  @Test
  void aRefusalIsNotFinalIfTheAnswerToAnotherGrantWasLost() {
    ledgerStore.fund(ORG, new MicroUsd(100));
    SimulatedNode node = node(0);
    node.ask(key("onekey01"), 1);
    GrantCall lost = node.planner().dueGrants(world.nanos).getFirst();
    ledgerStore.grant(node.holder(), lost.request()); // the answer is lost after the commit
    node.ask(key("twokey01"), 99);
    node.lease(CallOutcome.LATE);
    node.planner().grantFailed(lost, world.nanos);
    node.deliverLate();
    ticks(20, 20, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(2);
  }

  @Test
  void manyKeysOfAnOrganizationWithoutMoneyAreRefusedAtOnce() {
    ledgerStore.fund(ORG, new MicroUsd(100));
    SimulatedNode node = node(0);
    for (int i = 0; i < 400; i++) {
      node.ask(key("poorkey" + i), 200);
      node.deliverLate();
      node.lease(CallOutcome.LATE); // the next call always begins before the first is answered
      node.runLoop();
      world.pass(5);
    }
    node.deliverLate();
    ticks(10, 20, node);
    assertThat(world.refused).hasSize(400);
    assertThat(world.refused)
        .allSatisfy(
            refused ->
                assertThat(refused.fault().code()).isEqualTo(ErrorCode.INSUFFICIENT_CREDITS));
  }

  @Test
  void oneFinallyShortScopeSufficesForARefusalAndOthersAreRecalledOnce() {
    ledgerStore.fund(ORG, new MicroUsd(1_000));
    ledgerStore.limitDay(new KeyId("daykey01"), new MicroUsd(100));
    SimulatedNode dead = node(0);
    SimulatedNode live = node(1);
    SimulatedNode asking = node(2);
    dead.ask(key("deadkey1"), 900);
    ticks(5, 20, dead, live, asking);
    live.ask(keyOfTheDay("daykey01"), 50);
    ticks(5, 20, live, asking);
    live.endOneAt(1);
    ticks(5, 20, live, asking);
    int before = live.returned();

    asking.ask(keyOfTheDay("daykey01"), 100);
    ticks(15, 20, live, asking);
    assertThat(world.refused)
        .singleElement()
        .satisfies(
            refused -> assertThat(refused.fault().code()).isEqualTo(ErrorCode.BUDGET_EXCEEDED));
    assertThat(live.returned() - before).as("statements of two sums").isLessThanOrEqualTo(2);
  }

  @Test
  void answersToRecallsBeforeARequestAreNoAnswerToIt() {
    ledgerStore.fund(ORG, new MicroUsd(900));
    SimulatedNode other = node(0);
    SimulatedNode node = node(1);
    other.ask(key("onlykey1"), 500);
    node.ask(key("onlykey1"), 300);
    ticks(5, 20, other, node);
    node.ask(key("onlykey1"), 250);
    node.lease(CallOutcome.FINE);
    ticks(2, 100, other);
    node.endOneAt(1);
    node.lease(CallOutcome.FINE);
    node.runLoop();
    assertThat(node.running()).as("served with what came back").isEqualTo(1);

    other.endOneAt(1);
    node.ask(key("onlykey1"), 500);
    ticks(30, 20, other, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(2);
  }

  @Test
  void aRefillThatWasRefusedIsNoAnswerToARequest() {
    ledgerStore.fund(ORG, new MicroUsd(1_000));
    SimulatedNode idle = node(0);
    SimulatedNode busy = node(1);
    SimulatedNode rich = node(2);
    idle.ask(key("onlykey1"), 300);
    busy.ask(key("onlykey1"), 100);
    ticks(5, 20, idle, busy, rich);
    rich.ask(key("onlykey1"), 1_000 - leased());
    ticks(5, 20, idle, busy, rich);
    assertThat(leased()).isEqualTo(1_000);
    idle.endOneAt(1);

    world.pass(1_000);
    int before = busy.grants();
    busy.lease(CallOutcome.FINE);
    assertThat(busy.grants()).as("a refill").isEqualTo(before + 1);
    busy.ask(key("onlykey1"), 300);
    ticks(50, 20, idle, busy, rich);
    assertThat(busy.running()).as("refused: %s", world.refused).isEqualTo(2);
  }
}
