package dev.tollgate.core.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.ledger.Bank.Ask;
import dev.tollgate.core.ledger.Bank.GrantAnswer;
import dev.tollgate.core.ledger.Bank.Granted;
import dev.tollgate.core.ledger.Bank.Shortage;
import dev.tollgate.core.ledger.Bank.Statement;
import dev.tollgate.core.ledger.Bank.TickAnswer;
import dev.tollgate.core.ledger.Bank.Want;
import dev.tollgate.core.ledger.Line.Waiter;
import dev.tollgate.core.money.MicroUsd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a node's leases: asks the books for what requests lack and soon will, gives back what is
 * recalled or idle, and stops admission when the node may no longer spend. It says which calls are
 * due and is told how each ended; who makes them, and when, is not its business. Confined to the
 * ledger's thread.
 */
public final class Leasing {
  private static final Duration ASK_AGAIN = Duration.ofMillis(30);
  private static final Duration AFTER_FAILURE = Duration.ofMillis(100);
  private static final Duration KNOWN_SHORT = Duration.ofMillis(100);
  private static final Duration REFILL_AGAIN = Duration.ofSeconds(1);
  private static final int GRANTS_MAX = 8;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final Duration WINDOW_KEPT = Duration.ofMinutes(15);

  private final NodeLedger ledger;
  private final LedgerRules rules;
  private final Commitments commitments;
  // The next to be asked for comes first.
  private final Map<KeyId, Line> lines = new LinkedHashMap<>();
  private final Statements statements;
  private long calls;
  private int grantsUnderWay;
  private boolean ticking;
  private boolean fenced;
  private @Nullable String stopped;
  private long tickedNanos;
  private long suspectNanos;
  private long heardMillis;
  private long heardNanos;
  private @Nullable Dawn dawn;

  public Leasing(NodeLedger ledger) {
    this.ledger = ledger;
    this.rules = ledger.rules();
    this.commitments = new Commitments(ledger);
    this.statements = new Statements(ledger);
  }

  /** A grant that should be asked for; ended by {@link #granted} or {@link #grantFailed}. */
  public static final class GrantCall {
    private final Ask ask;
    private final List<Account> accounts;
    private final @Nullable Line line;
    private final @Nullable Waiter first;

    private GrantCall(
        Ask ask, List<Account> accounts, @Nullable Line line, @Nullable Waiter first) {
      this.ask = ask;
      this.accounts = accounts;
      this.line = line;
      this.first = first;
    }

    public Ask ask() {
      return ask;
    }
  }

  /** A sign of life that is due; ended by {@link #ticked} or {@link #tickFailed}. */
  public record TickCall(long number, List<Statement> statements, long beganNanos) {}

  /** The node begins a life in the books. */
  public void begin(long nowNanos) {
    tickedNanos = nowNanos;
    suspectNanos = nowNanos;
    dawn = new Dawn(ledger, nowNanos);
    open(nowNanos);
  }

  /**
   * Time may have passed that nobody counted: nothing is admitted until the books answer a sign of
   * life that is still to be given.
   */
  public void suspect(long nowNanos) {
    suspectNanos = nowNanos;
    tickedNanos = nowNanos - rules.tick().toNanos();
    shut(nowNanos);
  }

  private void shut(long nowNanos) {
    if (stopped == null) {
      ledger.admission(new NodeLedger.Admission.Open(nowNanos - 1));
    }
  }

  private void open(long sinceNanos) {
    if (stopped != null || sinceNanos - suspectNanos < 0) {
      return;
    }
    long until = sinceNanos + rules.silenceMax().toNanos();
    ledger.admission(new NodeLedger.Admission.Open(until));
  }

  /** The node admits nothing more, whatever the books say later; what runs is settled. */
  public void stop(String message) {
    stopped = message;
    ledger.admission(new NodeLedger.Admission.Closed(message));
    refuseAll(message);
  }

  private void refuseAll(String message) {
    takeArrivals();
    for (Line line : lines.values()) {
      line.waiters().forEach(waiter -> ledger.refuse(waiter, Refusals.unavailable(message)));
      line.waiters().clear();
    }
  }

  /** Whether another life of this node, or none, may spend: this process must end. */
  public boolean isFenced() {
    return fenced;
  }

  // Grants

  /** The grants to be asked for now; none is due twice while it is under way. */
  public List<GrantCall> dueGrants(long nowNanos) {
    if (stopped != null) {
      refuseAll(stopped); // whoever had seen admission open
      return List.of();
    }
    takeArrivals();
    List<GrantCall> due = new ArrayList<>();
    List<KeyId> asked = new ArrayList<>();
    Iterator<Map.Entry<KeyId, Line>> all = lines.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<KeyId, Line> next = all.next();
      Line line = next.getValue();
      serve(line, nowNanos);
      if (line.isDone()) {
        all.remove();
      } else if (line.mayAsk(nowNanos) && grantsUnderWay < GRANTS_MAX) {
        grantFor(line)
            .ifPresent(
                call -> {
                  due.add(call);
                  asked.add(next.getKey());
                });
      }
    }
    asked.forEach(this::toTheEnd);
    refill(due, nowNanos);
    return due;
  }

  private void toTheEnd(KeyId key) {
    Line line = lines.remove(key);
    if (line != null) {
      lines.put(key, line);
    }
  }

  private void takeArrivals() {
    for (Waiter next = ledger.nextArrival(); next != null; next = ledger.nextArrival()) {
      long since = next.sinceNanos();
      lines
          .computeIfAbsent(next.purse().payer().key(), _ -> new Line(since))
          .waiters()
          .add(next.since(calls + 1));
    }
  }

  /** Whoever can be answered now is, also behind one that cannot. */
  private void serve(Line line, long nowNanos) {
    line.renew(ledger::renewed);
    line.waiters()
        .removeIf(
            waiter ->
                ledger.serve(waiter)
                    || refusedAsKnown(waiter, nowNanos)
                    || expired(waiter, nowNanos));
  }

  private boolean refusedAsKnown(Waiter waiter, long nowNanos) {
    for (Account account : waiter.purse().accounts()) {
      Shortage known = account.knownShortage(waiter.most() - account.available(), nowNanos);
      if (known != null) {
        ledger.refuse(waiter, Refusals.of(known, waiter.purse().payer(), waiter.most()));
        return true;
      }
    }
    return false;
  }

  private boolean expired(Waiter waiter, long nowNanos) {
    if (nowNanos - waiter.sinceNanos() <= rules.waitMax().toNanos()) {
      return false;
    }
    ledger.refuse(waiter, Refusals.unavailable("The ledger could not say in time."));
    return true;
  }

  /** For the one in front; nothing where another call about the same money has to end first. */
  private Optional<GrantCall> grantFor(Line line) {
    Waiter first = line.waiters().getFirst();
    List<Account> accounts = new ArrayList<>();
    List<Want> wants = new ArrayList<>();
    for (Account account : first.purse().accounts()) {
      long least = first.most() - account.available();
      if (least > 0 && !account.mayAsk()) {
        return Optional.empty();
      }
      if (least > 0) {
        accounts.add(account);
        wants.add(want(account, least));
      }
    }
    line.asks();
    Ask ask = new Ask(++calls, first.purse().payer(), wants, true, first.sinceCall());
    return Optional.of(begun(new GrantCall(ask, accounts, line, first)));
  }

  private Want want(Account account, long least) {
    long most = account.welcome(least, rules.outageGrace());
    MicroUsd held = account.isInDoubt() ? new MicroUsd(account.base()) : null;
    return new Want(account.scope().kind(), new MicroUsd(least), new MicroUsd(most), held);
  }

  private void refill(List<GrantCall> due, long nowNanos) {
    for (Account account : ledger.accounts()) {
      if (grantsUnderWay >= GRANTS_MAX) {
        return;
      }
      if (account.isLow(rules, nowNanos)) {
        Ask ask = new Ask(++calls, account.payer(), List.of(want(account, 1)), false);
        due.add(begun(new GrantCall(ask, List.of(account), null, null)));
      }
    }
  }

  private GrantCall begun(GrantCall call) {
    grantsUnderWay++;
    call.accounts.forEach(account -> account.asking(1));
    return call;
  }

  private void ended(GrantCall call) {
    grantsUnderWay--;
    call.accounts.forEach(account -> account.asking(-1));
  }

  /** The books answered. */
  public void granted(GrantCall call, GrantAnswer answer, long nowNanos) {
    ended(call);
    switch (answer) {
      case GrantAnswer.Given given -> {
        heard(call);
        given(call, given.granted(), nowNanos);
      }
      case GrantAnswer.Refused refused -> {
        heard(call);
        refused(call, refused.shortages(), nowNanos);
      }
      case GrantAnswer.Fenced _ -> fence();
      case GrantAnswer.Stale _ -> again(call, nowNanos);
    }
  }

  private static void heard(GrantCall call) {
    for (int i = 0; i < call.accounts.size(); i++) {
      if (call.ask.wants().get(i).held() != null) {
        call.accounts.get(i).certain();
      }
    }
  }

  private void given(GrantCall call, List<Granted> granted, long nowNanos) {
    for (int i = 0; i < granted.size(); i++) {
      Account account = call.accounts.get(i);
      account.grow(granted.get(i).amount().value());
      // Where the books gave less than was asked for, the next refill would be as small.
      boolean lean = granted.get(i).amount().compareTo(call.ask.wants().get(i).most()) < 0;
      if (lean) {
        ledger.wasGrantedLess();
      }
      account.refillNotBefore(lean ? nowNanos + REFILL_AGAIN.toNanos() : nowNanos);
    }
    if (call.line != null) {
      call.line.answered(nowNanos);
    }
  }

  private void refused(GrantCall call, List<Shortage> shortages, long nowNanos) {
    for (Account account : call.accounts) {
      account.refillNotBefore(nowNanos + REFILL_AGAIN.toNanos());
    }
    Line line = call.line;
    Waiter first = call.first;
    if (line == null || first == null) {
      return; // where nobody waited, nobody else was asked for idle money either
    }
    Optional<Shortage> end = endOf(call, first, shortages, nowNanos);
    boolean recalled = end.isEmpty() && shortages.stream().anyMatch(Shortage::awaitsRecall);
    boolean waits = line.waiters().contains(first);
    if (waits && recalled) {
      line.waiters().remove(first);
      line.waiters().addLast(first); // a smaller one may find what this one cannot
    } else if (waits && end.isPresent()) {
      line.waiters().remove(first);
      // It may have come back from other requests meanwhile.
      if (!ledger.serve(first)) {
        ledger.refuse(first, Refusals.of(end.get(), call.ask.payer(), first.most()));
      }
    }
    boolean alone = line.waiters().size() < 2;
    line.answered(recalled && alone ? nowNanos + ASK_AGAIN.toNanos() : nowNanos);
  }

  /** The first sum that is short for good, whatever becomes of the others. */
  private static Optional<Shortage> endOf(
      GrantCall call, Waiter first, List<Shortage> shortages, long nowNanos) {
    Shortage end = null;
    for (Shortage shortage : shortages) {
      for (int i = 0; i < call.accounts.size(); i++) {
        Account account = call.accounts.get(i);
        if (!shortage.scope().equals(account.scope())) {
          continue;
        }
        long least = call.ask.wants().get(i).least().value();
        boolean holds = account.isRefused(least, first.most() - account.available());
        if (holds && !shortage.awaitsRecall()) {
          account.isShort(shortage, nowNanos + KNOWN_SHORT.toNanos());
          end = end == null ? shortage : end;
        }
      }
    }
    return Optional.ofNullable(end);
  }

  /**
   * The call failed, and nobody knows whether it was or will be booked: what was not heard of is
   * not spent, and the books are told so.
   */
  public void grantFailed(GrantCall call, long nowNanos) {
    ended(call);
    call.accounts.forEach(Account::doubt);
    again(call, nowNanos);
  }

  private static void again(GrantCall call, long nowNanos) {
    long again = nowNanos + AFTER_FAILURE.toNanos();
    call.accounts.forEach(account -> account.refillNotBefore(again));
    if (call.line != null) {
      call.line.answered(again);
    }
  }

  // Ticks

  /** The sign of life that is due, if one is. */
  public Optional<TickCall> nextTick(long nowNanos) {
    Duration since = Duration.ofNanos(nowNanos - tickedNanos);
    boolean isDue = since.compareTo(rules.tick()) >= 0 || statements.areUrgent();
    if (fenced || ticking || !isDue) {
      return Optional.empty();
    }
    ticking = true;
    tickedNanos = nowNanos;
    if (dawn != null && heardMillis > 0) {
      dawn.foresee(heardMillis + (nowNanos - heardNanos) / NANOS_PER_MILLI, nowNanos);
    }
    List<Statement> said = statements.next(since, kept(), nowNanos);
    return Optional.of(new TickCall(++calls, said, nowNanos));
  }

  private Window kept() {
    return Window.at(heardMillis - WINDOW_KEPT.toMillis());
  }

  /** The books heard the sign of life. */
  public void ticked(TickCall call, TickAnswer answer, long nowNanos) {
    ticking = false;
    switch (answer) {
      case TickAnswer.Fenced _ -> fence();
      case TickAnswer.Alive alive -> {
        // From before the call: the books may have counted from then.
        open(call.beganNanos());
        heardMillis = alive.bankMillis();
        heardNanos = call.beganNanos();
        statements.heard(call.statements(), alive, kept(), nowNanos);
        ledger.booked(alive.overruns());
      }
    }
  }

  /**
   * The call failed; what it gave back counts as gone, whether it arrived or not, and nothing idle
   * is given back until the books are heard of again.
   */
  public void tickFailed(TickCall call, long nowNanos) {
    ticking = false;
    statements.failed();
    // What was said may have been at fault; that shows at once.
    boolean isBare = call.statements().isEmpty();
    if (isBare && rules.outageGrace().isZero()) {
      shut(nowNanos);
    }
  }

  // For the case that the node is never heard of again

  /** What the books should be told of the node's leases now; it counts as told. */
  public List<Commitment> commitments() {
    return commitments.due();
  }

  /** What they were told last may not have reached them. */
  public void commitmentsUnsaid() {
    commitments.unsaid();
  }

  private void fence() {
    fenced = true;
    stop("This node may not spend any more.");
  }
}
