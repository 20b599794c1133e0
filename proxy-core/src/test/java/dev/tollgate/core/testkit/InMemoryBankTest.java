package dev.tollgate.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Bank.Ask;
import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.GrantAnswer;
import dev.tollgate.core.ledger.Bank.Granted;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Bank.Recall;
import dev.tollgate.core.ledger.Bank.Shortage;
import dev.tollgate.core.ledger.Bank.Statement;
import dev.tollgate.core.ledger.Bank.TickAnswer;
import dev.tollgate.core.ledger.Bank.Want;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
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

/** Money of one balance between two nodes, on the books in memory. */
class InMemoryBankTest {
  private static final long NOW = 1_700_000_000_000L;
  private final OrgId org = new OrgId(UUID.randomUUID());
  private final KeyId key = new KeyId("abcdefgh");
  private final InMemoryBank bank = new InMemoryBank(NOW);
  private final Payer payer = new Payer(org, key, Window.at(NOW));
  private final Scope balance = payer.scope(ScopeKind.ORG);
  private final Holder a = bank.open(UUID.randomUUID(), UUID.randomUUID());
  private final Holder b = bank.open(UUID.randomUUID(), UUID.randomUUID());
  private long calls;

  @Test
  void aRefusalCallsIdleMoneyBackAndIsFinalWhenItIsNotEnough() {
    bank.fund(org, new MicroUsd(100));
    assertThat(ask(a, 80, 80)).isInstanceOf(GrantAnswer.Given.class);

    assertThat(shortage(ask(b, 50, 50)).awaitsRecall()).isTrue();
    assertThat(recalls(b)).isEmpty();
    assertThat(recalls(a)).containsExactly(new Recall(balance, 1));
    assertThat(shortage(ask(b, 50, 50)).awaitsRecall()).isTrue();
    bank.tick(a, ++calls, List.of(new Statement(payer, ScopeKind.ORG, new MicroUsd(60), 1, false)));
    assertThat(recalls(a)).isEmpty();
    assertThat(shortage(ask(b, 50, 50)))
        .isEqualTo(
            new Shortage(balance, new MicroUsd(100), MicroUsd.ZERO, new MicroUsd(60), false));

    assertThat(shortage(ask(b, 50, 50)).awaitsRecall()).isTrue();
    bank.advance(Duration.ofMinutes(2));
    assertThat(shortage(ask(b, 50, 50)).awaitsRecall()).isFalse();
    assertThat(bank.audit()).isEmpty();
  }

  @Test
  void aChargeIsBookedOnceAndAnOverrunGrowsTheLease() throws Exception {
    bank.fund(org, new MicroUsd(100));
    bank.limitDay(key, new MicroUsd(30));
    ask(a, 10, 10);
    Settlement charge = charge(15);

    assertThat(bank.settle(a, List.of(charge, charge)).overruns())
        .singleElement()
        .satisfies(overrun -> assertThat(overrun.amount()).isEqualTo(new MicroUsd(5)));
    assertThat(bank.settle(a, List.of(charge)).overruns())
        .as("said again: the answer before may have been lost")
        .containsExactly(new Granted(balance, new MicroUsd(5)));
    assertThat(bank.sums().scopes().get(balance.id()))
        .isEqualTo(new BankSums.ScopeSums(15, 0, 5, 0));
    assertThat(bank.charge(charge.request())).containsSame(charge);
    assertThat(bank.audit()).isEmpty();
  }

  @Test
  void aNewLifeFreesWhatTheOldOneHeldAndFencesIt() throws Exception {
    bank.fund(org, new MicroUsd(100));
    ask(a, 100, 100);
    Holder next = bank.open(a.node(), UUID.randomUUID());

    assertThat(ask(a, 1, 1)).isEqualTo(new GrantAnswer.Fenced());
    assertThat(bank.tick(a, ++calls, List.of())).isEqualTo(new TickAnswer.Fenced());
    bank.settle(a, List.of(charge(7)));
    assertThat(ask(next, 93, 93)).isInstanceOf(GrantAnswer.Given.class);
    bank.close(next);
    assertThat(ask(next, 1, 1)).isEqualTo(new GrantAnswer.Fenced());
    assertThat(bank.sums().scopes().get(balance.id()))
        .isEqualTo(new BankSums.ScopeSums(7, 0, 7, 0));
    assertThat(bank.audit()).isEmpty();
  }

  @Test
  void aStatementOutlivesEveryCallThatWasMadeBeforeIt() {
    bank.fund(org, new MicroUsd(1_000));
    state(5, 0, false);
    assertThat(ask(a, 4, 10, 10, null)).isEqualTo(new GrantAnswer.Stale());
    assertThat(granted(ask(a, 6, 10, 10, null))).isEqualTo(10);
    state(5, 0, false);
    assertThat(lease().granted()).isEqualTo(10);
    state(7, 3, false);
    state(8, 50, false);
    assertThat(lease()).isEqualTo(new BankSums.LeaseSums(3, 0, 0, true, 0, 8, 8));
    assertThat(bank.audit()).isEmpty();
  }

  @Test
  void aGrantThatIsRefusedHasLoweredWhatItsHolderHeldAllTheSame() {
    bank.fund(org, new MicroUsd(100));
    ask(a, 1, 100, 100, null);
    assertThat(ask(a, 2, 101, 101, MicroUsd.ZERO)).isInstanceOf(GrantAnswer.Refused.class);
    assertThat(lease().granted()).isZero();
    assertThat(granted(ask(a, 3, 100, 100, MicroUsd.ZERO))).isEqualTo(100);
  }

  @Test
  void whatWasSpentIsNotTakenBackAndCountsAsAnOverrun() throws Exception {
    bank.fund(org, new MicroUsd(100));
    ask(a, 1, 10, 10, null);
    assertThat(bank.settle(a, List.of(charge(8))).overruns()).isEmpty();
    state(2, 5, false);
    assertThat(lease()).isEqualTo(new BankSums.LeaseSums(8, 8, 3, true, 0, 2, 2));
    assertThat(bank.settle(a, List.of(charge(1))).overruns())
        .containsExactly(new Granted(balance, new MicroUsd(4)));
    state(3, 5, true);
    assertThat(lease().open()).isFalse();
    assertThat(bank.settle(a, List.of(charge(1))).overruns()).isEmpty();
    assertThat(granted(ask(a, 4, 10, 10, null))).isEqualTo(10);
    assertThat(lease()).isEqualTo(new BankSums.LeaseSums(10, 0, 0, true, 0, 4, 3));
    assertThat(bank.audit()).isEmpty();
  }

  @Test
  void nobodyElseIsAskedForMoneyThatNoRequestWaitsFor() {
    bank.fund(org, new MicroUsd(100));
    ask(a, 80, 80);
    var want = new Want(ScopeKind.ORG, new MicroUsd(50), new MicroUsd(50));
    Ask refill = new Ask(++calls, payer, List.of(want), false);
    assertThat(shortage(bank.grant(b, refill)).awaitsRecall()).isFalse();
    assertThat(recalls(a)).isEmpty();

    assertThat(shortage(ask(b, 50, 50)).awaitsRecall()).isTrue();
    Statement back = new Statement(payer, ScopeKind.ORG, new MicroUsd(60), 1, false);
    bank.tick(a, ++calls, List.of(back));
    assertThat(shortage(bank.grant(b, refill)).awaitsRecall()).isFalse();
    assertThat(shortage(ask(b, 50, 50)).awaitsRecall()).as("its one round is over").isFalse();
  }

  @Test
  void whatOthersAnsweredBeforeARequestCameIsNoAnswerToIt() {
    bank.fund(org, new MicroUsd(100));
    ask(a, 80, 80);
    assertThat(shortage(ask(b, 50, 50)).awaitsRecall()).isTrue();
    Statement back = new Statement(payer, ScopeKind.ORG, new MicroUsd(60), 1, false);
    bank.tick(a, ++calls, List.of(back));

    long since = ++calls;
    var want = new Want(ScopeKind.ORG, new MicroUsd(50), new MicroUsd(50));
    Ask later = new Ask(++calls, payer, List.of(want), true, since);
    assertThat(shortage(bank.grant(b, later)).awaitsRecall()).isTrue();
    assertThat(recalls(a)).containsExactly(new Recall(balance, 2));
    Statement again = new Statement(payer, ScopeKind.ORG, new MicroUsd(60), 2, false);
    bank.tick(a, ++calls, List.of(again));
    Ask last = new Ask(++calls, payer, List.of(want), true, since);
    assertThat(shortage(bank.grant(b, last)).awaitsRecall()).isFalse();
  }

  @Test
  void aGrantLeavesOthersTheirShare() {
    bank.fund(org, new MicroUsd(100));
    assertThat(granted(ask(a, 1, 100))).isEqualTo(25);
    assertThat(granted(ask(b, 30, 100))).isEqualTo(30);
    assertThat(granted(ask(b, 1, 2))).isEqualTo(2);
  }

  @Test
  void aRowThatIsRefusedRefusesItsBatch() {
    Settlement bad = charge(1);
    bank.poison(bad.request());
    assertThatThrownBy(() -> bank.settle(a, List.of(charge(1), bad)))
        .isInstanceOf(BankException.class);
    assertThat(bank.charges()).isZero();
  }

  @Test
  void aLoweredLimitCallsMoneyBack() {
    bank.limitDay(key, new MicroUsd(100));
    var want = new Want(ScopeKind.KEY_DAY, new MicroUsd(9), new MicroUsd(9));
    bank.grant(a, new Ask(++calls, payer, List.of(want), true));
    bank.limitDay(key, new MicroUsd(50));
    assertThat(recalls(a)).containsExactly(new Recall(payer.scope(ScopeKind.KEY_DAY), 1));
  }

  @Test
  void aLoweredLimitCallsBackWhatWasLeasedForADayThatIsAboutToBegin() {
    long midnight = payer.window().resetsAt(ScopeKind.KEY_DAY).toEpochMilli();
    Payer tomorrow = new Payer(org, key, Window.at(midnight));
    bank.advance(Duration.ofMillis(midnight - NOW - 50_000));
    bank.limitDay(key, new MicroUsd(100));
    var want = new Want(ScopeKind.KEY_DAY, new MicroUsd(9), new MicroUsd(9));
    bank.grant(a, new Ask(++calls, tomorrow, List.of(want), false));
    bank.limitDay(key, new MicroUsd(50));
    assertThat(recalls(a)).containsExactly(new Recall(tomorrow.scope(ScopeKind.KEY_DAY), 1));
  }

  private GrantAnswer ask(Holder holder, long least, long most) {
    return ask(holder, ++calls, least, most, null);
  }

  private GrantAnswer ask(
      Holder holder, long number, long least, long most, @Nullable MicroUsd held) {
    var want = new Want(ScopeKind.ORG, new MicroUsd(least), new MicroUsd(most), held);
    return bank.grant(holder, new Ask(number, payer, List.of(want), true));
  }

  private void state(long number, long base, boolean last) {
    var said = new Statement(payer, ScopeKind.ORG, new MicroUsd(base), 0, last);
    bank.tick(a, number, List.of(said));
  }

  private BankSums.LeaseSums lease() {
    return bank.sums().leases().values().iterator().next();
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
        Settlement.How.COMPLETED,
        new byte[0]);
  }

  private List<Recall> recalls(Holder holder) {
    return ((TickAnswer.Alive) bank.tick(holder, ++calls, List.of())).recalls();
  }

  private static Shortage shortage(GrantAnswer answer) {
    return ((GrantAnswer.Refused) answer).shortages().getFirst();
  }

  private static long granted(GrantAnswer answer) {
    return ((GrantAnswer.Given) answer).granted().getFirst().amount().value();
  }
}
