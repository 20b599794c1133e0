package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.ledger.Bank.Statement;
import dev.tollgate.core.ledger.Leasing.GrantCall;
import dev.tollgate.core.ledger.Leasing.TickCall;
import dev.tollgate.core.ledger.SimulatedNode.Fate;
import dev.tollgate.core.ledger.SimulatedNode.World;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import dev.tollgate.core.testkit.BankSums;
import dev.tollgate.core.testkit.InMemoryBank;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a node asks of the books, and gives back, in particular situations. */
class LeasingTest {
  private static final OrgId ORG = new OrgId(new UUID(2, 0));

  private final InMemoryBank bank = new InMemoryBank(1_795_000_000_000L);
  private final World world = new World(bank);

  private static ApiKey key(String id) {
    return new ApiKey(
        new KeyId(id),
        "k",
        "wxyz",
        new Org(ORG, "org", Org.State.ACTIVE, null),
        KeyState.ACTIVE,
        null,
        KeyScope.ALL,
        KeyLimits.DEFAULT);
  }

  private SimulatedNode node(int n) {
    return new SimulatedNode(new UUID(1, n), world);
  }

  private void turns(int count, long millis, SimulatedNode... nodes) {
    for (int i = 0; i < count; i++) {
      world.pass(millis);
      for (SimulatedNode node : nodes) {
        node.tick(Fate.FINE);
        for (int calls = 0; calls < 5 && node.lease(Fate.FINE); calls++) {
          node.runLoop();
        }
        node.runLoop();
      }
    }
  }

  @Test
  void whatNobodyUsesCostsNothing() {
    bank.fund(ORG, new MicroUsd(1_000_000));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    turns(5, 20, node);
    node.endOneAt(100);
    turns(3_000, 100, node);

    assertThat(node.grants()).isLessThanOrEqualTo(3);
    assertThat(node.givenBack()).isEqualTo(1);
  }

  @Test
  void whatWasRecalledIsLeftToWhoAskedForIt() {
    bank.fund(ORG, new MicroUsd(10_000));
    SimulatedNode idle = node(0);
    SimulatedNode asking = node(1);
    idle.ask(key("onlykey1"), 1_000);
    turns(10, 20, idle, asking);
    idle.endOneAt(1);
    turns(10, 20, idle, asking);

    asking.ask(key("onlykey1"), 9_000);
    turns(100, 20, idle, asking);
    assertThat(asking.running()).as("refused: %s", world.refused).isEqualTo(1);
  }

  @Test
  void aStoppedNodeStaysStoppedWhateverTheBooksSay() {
    bank.fund(ORG, new MicroUsd(10_000));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    turns(10, 20, node);
    node.leasing().stop("stopping");
    turns(10, 100, node);
    assertThat(node.ledger().isOpen()).isFalse();
  }

  @Test
  void afterTimeThatNobodyCountedNothingIsAdmittedBeforeTheBooksAnswerAnew() {
    bank.fund(ORG, new MicroUsd(10_000));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    turns(10, 20, node);
    world.pass(200);
    node.tick(Fate.LATE);
    world.pass(1);
    node.leasing().suspect(world.nanos);
    assertThat(node.ledger().isOpen()).isFalse();
    node.deliverLate(); // it was asked before
    assertThat(node.ledger().isOpen()).isFalse();
    node.tick(Fate.FINE);
    assertThat(node.ledger().isOpen()).isTrue();
  }

  @Test
  void aNodeThatWasTakenOverStaysClosedThoughAnOlderAnswerSaysThatItLives() {
    bank.fund(ORG, new MicroUsd(10_000));
    SimulatedNode node = node(0);
    world.pass(200);
    node.tick(Fate.LATE);
    var _ = bank.open(node.id(), UUID.randomUUID());
    node.ask(key("onlykey1"), 100);
    node.lease(Fate.FINE);
    node.deliverLate();
    assertThat(node.ledger().isOpen()).isFalse();
    node.runLoop();
    assertThat(world.refused).hasSize(1);
  }

  @Test
  void aLargeRequestThatWaitsDoesNotHoldUpSmallOnes() throws Exception {
    bank.fund(ORG, new MicroUsd(10_000));
    SimulatedNode dead = node(0);
    SimulatedNode node = node(1);
    dead.ask(key("onlykey1"), 500);
    turns(10, 20, dead, node);
    node.ask(key("onlykey1"), 9_900);
    node.ask(key("onlykey1"), 10);
    node.ask(key("onlykey1"), 10);
    turns(5, 20, node);
    assertThat(node.running()).isEqualTo(2);
    turns(100, 20, node);
    assertThat(world.refused).hasSize(1);
    node.stop(new Random(1));
  }

  @Test
  void aLostGrantOfTheLastMoneyIsNotFollowedByARefusal() {
    bank.fund(ORG, new MicroUsd(100));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    node.lease(Fate.ANSWER_LOST);
    turns(10, 20, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(1);
  }

  @Test
  void whatALostAnswerLeftLeasedIsFreeWithTheNextTick() throws Exception {
    bank.fund(ORG, new MicroUsd(100));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    node.lease(Fate.ANSWER_LOST);
    node.leasing().stop("nothing is asked for again");
    assertThat(leased()).isEqualTo(100);
    turns(1, 100, node);
    assertThat(leased()).isZero();
  }

  @Test
  void aGrantThatTheNodeGaveUpIsNotBookedAfterTheNodeSaidWhatItHolds() throws Exception {
    bank.fund(ORG, new MicroUsd(100));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    node.lease(Fate.GIVEN_UP);
    node.leasing().stop("nothing is asked for again");
    turns(1, 100, node);
    node.bookOneGivenUp(new Random(1));
    assertThat(leased()).isZero();
  }

  @Test
  void aRefusalIsNotFinalWhileMoneyForTheSameSumIsOnItsWayToTheNode() {
    bank.fund(ORG, new MicroUsd(100));
    SimulatedNode node = node(0);
    node.ask(key("onekey01"), 10);
    node.lease(Fate.LATE);
    node.ask(key("twokey01"), 60);
    node.lease(Fate.FINE);
    node.runLoop();
    assertThat(world.refused).isEmpty();
    node.deliverLate();
    turns(10, 20, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(2);
  }

  @Test
  void aRefusalIsNotFinalWhereMoneyCameMeanwhileAndLessIsLackingNow() {
    bank.fund(ORG, new MicroUsd(100));
    SimulatedNode node = node(0);
    node.ask(key("onekey01"), 10);
    node.ask(key("twokey01"), 60);
    node.lease(Fate.LATE);
    node.deliverLate();
    turns(10, 20, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(2);
  }

  @Test
  void aRefusalIsNotFinalWhereTheAnswerToAnotherGrantWasLost() {
    bank.fund(ORG, new MicroUsd(100));
    SimulatedNode node = node(0);
    node.ask(key("onekey01"), 1);
    GrantCall lost = node.leasing().dueGrants(world.nanos).getFirst();
    bank.grant(node.holder(), lost.ask()); // nobody hears that it was booked
    node.ask(key("twokey01"), 99);
    node.lease(Fate.LATE);
    node.leasing().grantFailed(lost, world.nanos);
    node.deliverLate();
    turns(20, 20, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(2);
  }

  @Test
  void manyKeysOfAnOrganizationWithoutMoneyAreRefusedAtOnce() {
    bank.fund(ORG, new MicroUsd(100));
    SimulatedNode node = node(0);
    for (int i = 0; i < 400; i++) {
      node.ask(key("poorkey" + i), 200);
      node.deliverLate();
      node.lease(Fate.LATE); // the next always ask before the first are answered
      node.runLoop();
      world.pass(5);
    }
    node.deliverLate();
    turns(10, 20, node);
    assertThat(world.refused).hasSize(400);
    assertThat(world.refused)
        .allSatisfy(
            refused ->
                assertThat(refused.fault().code()).isEqualTo(ErrorCode.INSUFFICIENT_CREDITS));
  }

  @Test
  void oneSumThatIsShortForGoodIsEnoughForARefusalAndOthersAreAskedOnce() {
    bank.fund(ORG, new MicroUsd(1_000));
    bank.limitDay(new KeyId("daykey01"), new MicroUsd(100));
    SimulatedNode dead = node(0);
    SimulatedNode living = node(1);
    SimulatedNode asking = node(2);
    dead.ask(key("deadkey1"), 900);
    turns(5, 20, dead, living, asking);
    living.ask(keyOfTheDay("daykey01"), 50);
    turns(5, 20, living, asking);
    living.endOneAt(1);
    turns(5, 20, living, asking);
    int before = living.givenBack();

    asking.ask(keyOfTheDay("daykey01"), 100);
    turns(15, 20, living, asking);
    assertThat(world.refused)
        .singleElement()
        .satisfies(
            refused -> assertThat(refused.fault().code()).isEqualTo(ErrorCode.BUDGET_EXCEEDED));
    assertThat(living.givenBack() - before).as("statements of two sums").isLessThanOrEqualTo(2);
  }

  @Test
  void whatWasSpentFromALostGrantIsNotAskedForAgain() throws Exception {
    bank.fund(ORG, new MicroUsd(1_000));
    SimulatedNode node = node(0);
    node.ask(key("onlykey1"), 100);
    turns(1, 20, node);
    assertThat(leased()).isEqualTo(500);
    node.endOneAt(800);
    node.ask(key("onlykey1"), 10);
    node.lease(Fate.ANSWER_LOST);
    node.sync();
    node.flush(9, Fate.FINE);
    world.pass(100);
    node.tick(Fate.LOST);
    node.lease(Fate.FINE);
    turns(5, 100, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(1);
  }

  @Test
  void whatOthersCouldSpareBeforeARequestCameIsNoAnswerToIt() {
    bank.fund(ORG, new MicroUsd(900));
    SimulatedNode other = node(0);
    SimulatedNode node = node(1);
    other.ask(key("onlykey1"), 500);
    node.ask(key("onlykey1"), 300);
    turns(5, 20, other, node);
    node.ask(key("onlykey1"), 250);
    node.lease(Fate.FINE);
    turns(2, 100, other);
    node.endOneAt(1);
    node.lease(Fate.FINE);
    node.runLoop();
    assertThat(node.running()).as("served with what came back").isEqualTo(1);

    other.endOneAt(1);
    node.ask(key("onlykey1"), 500);
    turns(30, 20, other, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(2);
  }

  @Test
  void aRefillThatWasRefusedIsNoAnswerToARequest() {
    bank.fund(ORG, new MicroUsd(1_000));
    SimulatedNode idle = node(0);
    SimulatedNode busy = node(1);
    SimulatedNode rich = node(2);
    idle.ask(key("onlykey1"), 300);
    busy.ask(key("onlykey1"), 100);
    turns(5, 20, idle, busy, rich);
    rich.ask(key("onlykey1"), 1_000 - leased());
    turns(5, 20, idle, busy, rich);
    assertThat(leased()).isEqualTo(1_000);
    idle.endOneAt(1);

    world.pass(1_000);
    int before = busy.grants();
    busy.lease(Fate.FINE);
    assertThat(busy.grants()).as("a refill").isEqualTo(before + 1);
    busy.ask(key("onlykey1"), 300);
    turns(50, 20, idle, busy, rich);
    assertThat(busy.running()).as("refused: %s", world.refused).isEqualTo(2);
  }

  @Test
  void moneyIsGivenBackThoughGrantsAreAskedForAllTheTime() {
    bank.fund(ORG, new MicroUsd(1_000));
    SimulatedNode node = node(0);
    SimulatedNode other = node(1);
    SimulatedNode dead = node(2);
    node.ask(key("onlykey1"), 400);
    dead.ask(key("onlykey1"), 1);
    turns(5, 20, node, other, dead);
    node.endOneAt(1);
    node.ask(key("onlykey1"), 1_000);
    node.ask(key("onlykey1"), 1_000); // where two wait, the next is asked for at once
    other.ask(key("onlykey1"), 900);
    for (int i = 0; i < 20; i++) {
      turns(1, 20, other);
      node.deliverLate();
      node.lease(Fate.LATE);
      node.tick(Fate.FINE);
    }
    assertThat(other.running()).as("refused: %s", world.refused).isEqualTo(1);
  }

  @Test
  void aStatementThatTheBooksCannotTakeStopsNeitherTheNodeNorTheOthers() throws Exception {
    bank.fund(ORG, new MicroUsd(1_000_000));
    var strict = LedgerRules.of(Duration.ZERO, Duration.ofMinutes(10));
    SimulatedNode node = new SimulatedNode(new UUID(1, 0), world, strict);
    String poison = "keyd:daykey07";
    useOfTheDay(20, node);
    int failures = 0;
    for (int i = 0; i < 2_000; i++) {
      world.pass(100);
      Optional<TickCall> due = node.leasing().nextTick(world.nanos);
      if (due.isEmpty()) {
        continue;
      }
      List<Statement> said = due.get().statements();
      if (said.stream().anyMatch(one -> one.scope().id().startsWith(poison))) {
        failures++;
        node.leasing().tickFailed(due.get(), world.nanos);
      } else {
        var answer = bank.tick(node.holder(), due.get().number(), said);
        node.leasing().ticked(due.get(), answer, world.nanos);
      }
      assertThat(node.ledger().isOpen()).isTrue();
    }
    assertThat(failures).isBetween(5, 20);
    assertThat(bank.sums().scopes())
        .allSatisfy(
            (scope, sums) -> {
              if (!scope.startsWith(poison)) {
                assertThat(sums.leased()).as(scope).isZero();
              }
            });
  }

  @Test
  void whatManyLeasesHoldIsSaidInPortions() throws Exception {
    bank.fund(ORG, new MicroUsd(1_000_000));
    SimulatedNode node = node(0);
    useOfTheDay(1_100, node);
    turns(2, 100, node);
    world.pass(61_000);
    int most = 0;
    for (int i = 0; i < 10; i++) {
      world.pass(100);
      TickCall call = node.leasing().nextTick(world.nanos).orElseThrow();
      most = Math.max(most, call.statements().size());
      var answer = bank.tick(node.holder(), call.number(), call.statements());
      node.leasing().ticked(call, answer, world.nanos);
    }
    assertThat(most).isBetween(100, 500);
    assertThat(leased()).isZero();
  }

  /** Each of so many keys has used its day, and what it did is booked. */
  private void useOfTheDay(int keys, SimulatedNode node) throws Exception {
    for (int i = 0; i < keys; i++) {
      String id = "daykey%02d".formatted(i);
      bank.limitDay(new KeyId(id), new MicroUsd(100_000));
      node.ask(keyOfTheDay(id), 10);
      while (node.running() == 0) {
        turns(1, 1, node);
      }
      node.endOneAt(1);
    }
    for (int booked = 0; booked < keys; booked += 100) {
      book(node);
    }
  }

  @Test
  void atMidnightNoRequestWaits() {
    long midnight = Window.at(bank.millis()).resetsAt(ScopeKind.KEY_DAY).toEpochMilli();
    bank.fund(ORG, new MicroUsd(1_000_000));
    bank.limitDay(new KeyId("busykey1"), new MicroUsd(100_000));
    bank.limitDay(new KeyId("rarekey1"), new MicroUsd(100_000));
    bank.limitDay(new KeyId("idlekey1"), new MicroUsd(100_000));
    ApiKey busy = keyOfTheDay("busykey1");
    ApiKey rare = keyOfTheDay("rarekey1");
    SimulatedNode node = node(0);
    world.pass(midnight - bank.millis() - Duration.ofMinutes(15).toMillis());
    turns(1, 100, node);
    node.ask(keyOfTheDay("idlekey1"), 100);
    turns(10, 20, node);
    node.endOneAt(1);
    turns(7 * 60, 1_000, node);
    node.ask(rare, 100);
    turns(10, 20, node);
    node.endOneAt(1);
    while (bank.millis() < midnight - 200) {
      node.ask(busy, 100);
      turns(1, 200, node);
      node.endOneAt(1);
    }

    world.pass(midnight - bank.millis());
    int before = node.grants();
    node.ask(busy, 100);
    node.ask(rare, 100);
    node.runLoop();
    assertThat(node.running()).isEqualTo(2);
    assertThat(node.grants()).isEqualTo(before);
    assertThat(bank.sums().scopes().keySet())
        .filteredOn(scope -> scope.startsWith("keyd:idlekey1"))
        .as("unused for ten minutes")
        .hasSize(1);
  }

  @Test
  void aRequestOfADayLongOverLeavesNothingLeased() throws Exception {
    long then = bank.millis();
    SimulatedNode node = nodeThatHadUsedADay();
    turns(5, 100, node);
    assertThat(node.ledger().leases()).as("the day is forgotten").isEqualTo(1);

    node.ask(keyOfTheDay("slowkey1"), 100, then);
    turns(5, 20, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(1);
    node.requireBalanced();
    node.endOneAt(1);
    book(node);
    turns(700, 100, node);
    assertThat(leased()).isZero();
  }

  @Test
  void aRequestThatWaitsWhileItsDayIsForgottenLeavesNothingLeased() throws Exception {
    long then = bank.millis();
    SimulatedNode node = nodeThatHadUsedADay();
    turns(1, 100, node);
    world.pass(100);
    node.tick(Fate.LATE);
    node.ask(keyOfTheDay("slowkey1"), 100, then);
    node.lease(Fate.FINE);
    node.deliverLate();
    assertThat(node.ledger().leases()).as("the day is forgotten").isEqualTo(1);

    turns(5, 20, node);
    assertThat(node.running()).as("refused: %s", world.refused).isEqualTo(1);
    node.requireBalanced();
    node.endOneAt(1);
    book(node);
    turns(700, 100, node);
    assertThat(leased()).isZero();
  }

  /** A node that now is in the next day, for so long that no more of the one before is awaited. */
  private SimulatedNode nodeThatHadUsedADay() throws Exception {
    bank.fund(ORG, new MicroUsd(1_000_000));
    bank.limitDay(new KeyId("slowkey1"), new MicroUsd(100_000));
    SimulatedNode node = node(0);
    turns(1, 100, node);
    node.ask(keyOfTheDay("slowkey1"), 100);
    turns(5, 20, node);
    node.endOneAt(1);
    book(node);
    turns(700, 100, node);
    long midnight = Window.at(bank.millis()).resetsAt(ScopeKind.KEY_DAY).toEpochMilli();
    world.pass(midnight + Duration.ofMinutes(16).toMillis() - bank.millis());
    return node;
  }

  private static void book(SimulatedNode node) throws Exception {
    node.sync();
    node.flush(100, Fate.FINE);
  }

  private static ApiKey keyOfTheDay(String id) {
    var limits = new KeyLimits(null, null, null, null, new MicroUsd(100_000), null);
    ApiKey key = key(id);
    return new ApiKey(
        key.id(),
        key.name(),
        key.lastFour(),
        key.org(),
        key.state(),
        key.expiresAt(),
        key.scope(),
        limits);
  }

  private long leased() {
    return bank.sums().scopes().values().stream()
        .mapToLong(BankSums.ScopeSums::leased)
        .max()
        .orElseThrow();
  }
}
