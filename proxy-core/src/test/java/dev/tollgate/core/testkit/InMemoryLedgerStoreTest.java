package dev.tollgate.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.LedgerStore.GrantAnswer;
import dev.tollgate.core.ledger.LedgerStore.GrantItem;
import dev.tollgate.core.ledger.LedgerStore.GrantRequest;
import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LeaseStatement;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.LedgerStore.Recall;
import dev.tollgate.core.ledger.LedgerStore.Shortage;
import dev.tollgate.core.ledger.LedgerStore.TickAnswer;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.Scope;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Leases of two nodes from one balance, in the store in memory. */
class InMemoryLedgerStoreTest {
  private static final long NOW = 1_700_000_000_000L;
  private final OrgId org = new OrgId(UUID.randomUUID());
  private final KeyId key = new KeyId("abcdefgh");
  private final InMemoryLedgerStore store = new InMemoryLedgerStore(NOW);
  private final Payer payer = new Payer(org, key, Window.at(NOW));
  private final Scope balance = payer.scope(ScopeKind.ORG);
  private final LeaseHolder a = store.open(UUID.randomUUID(), UUID.randomUUID());
  private final LeaseHolder b = store.open(UUID.randomUUID(), UUID.randomUUID());
  private long calls;

  @Test
  void aRefusalRecallsIdleMoneyAndIsFinalIfItIsNotEnough() {
    store.fund(org, new MicroUsd(100));
    assertThat(ask(a, 80, 80)).isInstanceOf(GrantAnswer.Issued.class);

    assertThat(shortage(ask(b, 50, 50)).awaitsRecall()).isTrue();
    assertThat(recalls(b)).isEmpty();
    assertThat(recalls(a)).containsExactly(new Recall(balance, 1));
    assertThat(shortage(ask(b, 50, 50)).awaitsRecall()).isTrue();
    store.tick(
        a, ++calls, List.of(new LeaseStatement(payer, ScopeKind.ORG, new MicroUsd(60), 1, false)));
    assertThat(recalls(a)).isEmpty();
    assertThat(shortage(ask(b, 50, 50)))
        .isEqualTo(
            new Shortage(balance, new MicroUsd(100), MicroUsd.ZERO, new MicroUsd(60), false));

    assertThat(shortage(ask(b, 50, 50)).awaitsRecall()).isTrue();
    store.advance(Duration.ofMinutes(2));
    assertThat(shortage(ask(b, 50, 50)).awaitsRecall()).isFalse();
    assertThat(store.audit()).isEmpty();
  }

  @Test
  void aChargeIsSettledOnceAndAnOverrunGrowsTheLease() throws Exception {
    store.fund(org, new MicroUsd(100));
    store.limitDay(key, new MicroUsd(30));
    ask(a, 10, 10);
    Settlement charge = charge(15);

    assertThat(store.settle(a, List.of(charge, charge)).overruns())
        .singleElement()
        .satisfies(overrun -> assertThat(overrun.amount()).isEqualTo(new MicroUsd(5)));
    assertThat(store.settle(a, List.of(charge)).overruns())
        .as("repeated: the previous answer may have been lost")
        .containsExactly(new LeaseGrowth(balance, new MicroUsd(5)));
    assertThat(store.sums().scopes().get(balance.id()))
        .isEqualTo(new LedgerSums.ScopeSums(15, 0, 5, 0));
    assertThat(store.charge(charge.request())).containsSame(charge);
    assertThat(store.audit()).isEmpty();
  }

  @Test
  void aNewEpochFreesTheLeasesOfThePreviousOneAndFencesIt() throws Exception {
    store.fund(org, new MicroUsd(100));
    ask(a, 100, 100);
    LeaseHolder next = store.open(a.node(), UUID.randomUUID());

    assertThat(ask(a, 1, 1)).isEqualTo(new GrantAnswer.Fenced());
    assertThat(store.tick(a, ++calls, List.of())).isEqualTo(new TickAnswer.Fenced());
    store.settle(a, List.of(charge(7)));
    assertThat(ask(next, 93, 93)).isInstanceOf(GrantAnswer.Issued.class);
    store.close(next);
    assertThat(ask(next, 1, 1)).isEqualTo(new GrantAnswer.Fenced());
    assertThat(store.sums().scopes().get(balance.id()))
        .isEqualTo(new LedgerSums.ScopeSums(7, 0, 7, 0));
    assertThat(store.audit()).isEmpty();
  }

  @Test
  void aStatementOverridesEveryEarlierCall() {
    store.fund(org, new MicroUsd(1_000));
    state(5, 0, false);
    assertThat(ask(a, 4, 10, 10, null)).isEqualTo(new GrantAnswer.Stale());
    assertThat(granted(ask(a, 6, 10, 10, null))).isEqualTo(10);
    state(5, 0, false);
    assertThat(lease().granted()).isEqualTo(10);
    state(7, 3, false);
    state(8, 50, false);
    assertThat(lease()).isEqualTo(new LedgerSums.LeaseSums(3, 0, 0, true, 0, 8, 8));
    assertThat(store.audit()).isEmpty();
  }

  @Test
  void aRefusedGrantAppliesItsStatement() {
    store.fund(org, new MicroUsd(100));
    ask(a, 1, 100, 100, null);
    assertThat(ask(a, 2, 101, 101, MicroUsd.ZERO)).isInstanceOf(GrantAnswer.Refused.class);
    assertThat(lease().granted()).isZero();
    assertThat(granted(ask(a, 3, 100, 100, MicroUsd.ZERO))).isEqualTo(100);
  }

  @Test
  void spentMoneyIsNotReturnedAndCountsAsAnOverrun() throws Exception {
    store.fund(org, new MicroUsd(100));
    ask(a, 1, 10, 10, null);
    assertThat(store.settle(a, List.of(charge(8))).overruns()).isEmpty();
    state(2, 5, false);
    assertThat(lease()).isEqualTo(new LedgerSums.LeaseSums(8, 8, 3, true, 0, 2, 2));
    assertThat(store.settle(a, List.of(charge(1))).overruns())
        .containsExactly(new LeaseGrowth(balance, new MicroUsd(4)));
    state(3, 5, true);
    assertThat(lease().open()).isFalse();
    assertThat(store.settle(a, List.of(charge(1))).overruns()).isEmpty();
    assertThat(granted(ask(a, 4, 10, 10, null))).isEqualTo(10);
    assertThat(lease()).isEqualTo(new LedgerSums.LeaseSums(10, 0, 0, true, 0, 4, 3));
    assertThat(store.audit()).isEmpty();
  }

  @Test
  void withoutAWaitingRequestNoMoneyIsRecalled() {
    store.fund(org, new MicroUsd(100));
    ask(a, 80, 80);
    var want = new GrantItem(ScopeKind.ORG, new MicroUsd(50), new MicroUsd(50));
    GrantRequest refill = new GrantRequest(++calls, payer, List.of(want), false);
    assertThat(shortage(store.grant(b, refill)).awaitsRecall()).isFalse();
    assertThat(recalls(a)).isEmpty();

    assertThat(shortage(ask(b, 50, 50)).awaitsRecall()).isTrue();
    LeaseStatement back = new LeaseStatement(payer, ScopeKind.ORG, new MicroUsd(60), 1, false);
    store.tick(a, ++calls, List.of(back));
    assertThat(shortage(store.grant(b, refill)).awaitsRecall()).isFalse();
    assertThat(shortage(ask(b, 50, 50)).awaitsRecall()).as("its one round is over").isFalse();
  }

  @Test
  void answersToRecallsBeforeARequestAreNoAnswerToIt() {
    store.fund(org, new MicroUsd(100));
    ask(a, 80, 80);
    assertThat(shortage(ask(b, 50, 50)).awaitsRecall()).isTrue();
    LeaseStatement back = new LeaseStatement(payer, ScopeKind.ORG, new MicroUsd(60), 1, false);
    store.tick(a, ++calls, List.of(back));

    long since = ++calls;
    var want = new GrantItem(ScopeKind.ORG, new MicroUsd(50), new MicroUsd(50));
    GrantRequest later = new GrantRequest(++calls, payer, List.of(want), true, since);
    assertThat(shortage(store.grant(b, later)).awaitsRecall()).isTrue();
    assertThat(recalls(a)).containsExactly(new Recall(balance, 2));
    LeaseStatement again = new LeaseStatement(payer, ScopeKind.ORG, new MicroUsd(60), 2, false);
    store.tick(a, ++calls, List.of(again));
    GrantRequest last = new GrantRequest(++calls, payer, List.of(want), true, since);
    assertThat(shortage(store.grant(b, last)).awaitsRecall()).isFalse();
  }

  @Test
  void aGrantLeavesOthersTheirShare() {
    store.fund(org, new MicroUsd(100));
    assertThat(granted(ask(a, 1, 100))).isEqualTo(25);
    assertThat(granted(ask(b, 30, 100))).isEqualTo(30);
    assertThat(granted(ask(b, 1, 2))).isEqualTo(2);
  }

  @Test
  void aRowThatIsRefusedRefusesItsBatch() {
    Settlement bad = charge(1);
    store.poison(bad.request());
    assertThatThrownBy(() -> store.settle(a, List.of(charge(1), bad)))
        .isInstanceOf(LedgerStoreException.class);
    assertThat(store.charges()).isZero();
  }

  @Test
  void aLoweredLimitRecallsMoney() {
    store.limitDay(key, new MicroUsd(100));
    var want = new GrantItem(ScopeKind.KEY_DAY, new MicroUsd(9), new MicroUsd(9));
    store.grant(a, new GrantRequest(++calls, payer, List.of(want), true));
    store.limitDay(key, new MicroUsd(50));
    assertThat(recalls(a)).containsExactly(new Recall(payer.scope(ScopeKind.KEY_DAY), 1));
  }

  @Test
  void aLoweredLimitRecallsLeasesOfTheNextDay() {
    long midnight = payer.window().resetsAt(ScopeKind.KEY_DAY).toEpochMilli();
    Payer tomorrow = new Payer(org, key, Window.at(midnight));
    store.advance(Duration.ofMillis(midnight - NOW - 50_000));
    store.limitDay(key, new MicroUsd(100));
    var want = new GrantItem(ScopeKind.KEY_DAY, new MicroUsd(9), new MicroUsd(9));
    store.grant(a, new GrantRequest(++calls, tomorrow, List.of(want), false));
    store.limitDay(key, new MicroUsd(50));
    assertThat(recalls(a)).containsExactly(new Recall(tomorrow.scope(ScopeKind.KEY_DAY), 1));
  }

  private GrantAnswer ask(LeaseHolder holder, long least, long most) {
    return ask(holder, ++calls, least, most, null);
  }

  private GrantAnswer ask(
      LeaseHolder holder, long number, long least, long most, @Nullable MicroUsd held) {
    var want = new GrantItem(ScopeKind.ORG, new MicroUsd(least), new MicroUsd(most), held);
    return store.grant(holder, new GrantRequest(number, payer, List.of(want), true));
  }

  private void state(long number, long base, boolean last) {
    var statement = new LeaseStatement(payer, ScopeKind.ORG, new MicroUsd(base), 0, last);
    store.tick(a, number, List.of(statement));
  }

  private LedgerSums.LeaseSums lease() {
    return store.sums().leases().values().iterator().next();
  }

  private Settlement charge(long cost) {
    return new Settlement(
        RequestId.at(NOW),
        org,
        key,
        ScopeKind.ORG.bit(),
        new MicroUsd(10),
        new MicroUsd(cost),
        Tokens.NONE,
        Settlement.SettlementKind.COMPLETED,
        new byte[0]);
  }

  private List<Recall> recalls(LeaseHolder holder) {
    return ((TickAnswer.Accepted) store.tick(holder, ++calls, List.of())).recalls();
  }

  private static Shortage shortage(GrantAnswer answer) {
    return ((GrantAnswer.Refused) answer).shortages().getFirst();
  }

  private static long granted(GrantAnswer answer) {
    return ((GrantAnswer.Issued) answer).granted().getFirst().amount().value();
  }
}
