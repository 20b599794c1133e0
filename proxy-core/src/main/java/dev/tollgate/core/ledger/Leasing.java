package dev.tollgate.core.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.ledger.Bank.GiveBack;
import dev.tollgate.core.ledger.Bank.GrantAnswer;
import dev.tollgate.core.ledger.Bank.Granted;
import dev.tollgate.core.ledger.Bank.Recall;
import dev.tollgate.core.ledger.Bank.Shortage;
import dev.tollgate.core.ledger.Bank.TickAnswer;
import dev.tollgate.core.ledger.Bank.Want;
import dev.tollgate.core.ledger.Line.Waiter;
import dev.tollgate.core.money.MicroUsd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
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
  private static final Duration WINDOW_KEPT = Duration.ofMinutes(15);

  private final NodeLedger ledger;
  private final LedgerRules rules;
  // The next to be asked for comes first.
  private final Map<KeyId, Line> lines = new LinkedHashMap<>();
  private final Map<Scope, Long> recalls = new HashMap<>();
  private int grantsUnderWay;
  private boolean ticking;
  private boolean booksHeard = true;
  private boolean fenced;
  private @Nullable String stopped;
  private long tickedNanos;

  public Leasing(NodeLedger ledger) {
    this.ledger = ledger;
    this.rules = ledger.rules();
  }

  /** A grant that should be asked for; ended by {@link #granted} or {@link #grantFailed}. */
  public static final class GrantCall {
    private final Payer payer;
    private final List<Account> accounts;
    private final List<Want> wants;
    private final @Nullable Line line;
    private final @Nullable Waiter first;

    private GrantCall(
        Payer payer,
        List<Account> accounts,
        List<Want> wants,
        @Nullable Line line,
        @Nullable Waiter first) {
      this.payer = payer;
      this.accounts = accounts;
      this.wants = wants;
      this.line = line;
      this.first = first;
    }

    public Payer payer() {
      return payer;
    }

    public List<Want> wants() {
      return wants;
    }
  }

  /** A sign of life that is due; ended by {@link #ticked} or {@link #tickFailed}. */
  public record TickCall(List<GiveBack> surplus, long beganNanos) {}

  /** The node begins a life in the books. */
  public void begin(long nowNanos) {
    tickedNanos = nowNanos;
    open(nowNanos);
  }

  private void open(long sinceNanos) {
    if (stopped != null) {
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
        due.add(grantFor(line));
        asked.add(next.getKey());
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
      lines.computeIfAbsent(next.purse().payer().key(), _ -> new Line(since)).waiters().add(next);
    }
  }

  /** Whoever can be answered now is, also behind one that cannot. */
  private void serve(Line line, long nowNanos) {
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

  private GrantCall grantFor(Line line) {
    Waiter first = line.waiters().getFirst();
    List<Account> accounts = new ArrayList<>();
    List<Want> wants = new ArrayList<>();
    for (Account account : first.purse().accounts()) {
      long least = first.most() - account.available();
      if (least > 0) {
        accounts.add(account);
        wants.add(want(account, least));
      }
    }
    line.asks();
    return begun(new GrantCall(first.purse().payer(), accounts, wants, line, first));
  }

  private Want want(Account account, long least) {
    long most = account.welcome(least, rules.outageGrace());
    return new Want(account.scope().kind(), new MicroUsd(least), new MicroUsd(most));
  }

  private void refill(List<GrantCall> due, long nowNanos) {
    for (Account account : ledger.accounts()) {
      if (grantsUnderWay >= GRANTS_MAX) {
        return;
      }
      if (account.isLow(rules, nowNanos)) {
        List<Want> wants = List.of(want(account, 1));
        due.add(begun(new GrantCall(account.payer(), List.of(account), wants, null, null)));
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
      case GrantAnswer.Given given -> given(call, given.granted(), nowNanos);
      case GrantAnswer.Refused refused -> refused(call, refused.shortages(), nowNanos);
      case GrantAnswer.Fenced _ -> fence();
    }
  }

  private void given(GrantCall call, List<Granted> granted, long nowNanos) {
    for (int i = 0; i < granted.size(); i++) {
      Account account = call.accounts.get(i);
      account.grow(granted.get(i).amount().value());
      // Where the books gave less than was asked for, the next refill would be as small.
      boolean lean = granted.get(i).amount().compareTo(call.wants.get(i).most()) < 0;
      account.refillNotBefore(lean ? nowNanos + REFILL_AGAIN.toNanos() : nowNanos);
    }
    if (call.line != null) {
      call.line.answered(nowNanos);
    }
  }

  private void refused(GrantCall call, List<Shortage> shortages, long nowNanos) {
    boolean isFinal = shortages.stream().noneMatch(Shortage::awaitsRecall);
    for (Account account : call.accounts) {
      account.refillNotBefore(nowNanos + REFILL_AGAIN.toNanos());
      for (Shortage shortage : shortages) {
        if (isFinal && shortage.scope().equals(account.scope())) {
          account.isShort(shortage, nowNanos + KNOWN_SHORT.toNanos());
        }
      }
    }
    Line line = call.line;
    Waiter first = call.first;
    if (line == null || first == null) {
      return;
    }
    boolean waits = line.waiters().remove(first);
    if (waits && !isFinal) {
      line.waiters().addLast(first); // a smaller one may find what this one cannot
    } else if (waits && !ledger.serve(first)) {
      // Not even what came back from other requests meanwhile was enough.
      ledger.refuse(first, Refusals.of(shortages.getFirst(), call.payer, first.most()));
    }
    boolean others = line.waiters().size() > 1;
    line.answered(isFinal || others ? nowNanos : nowNanos + ASK_AGAIN.toNanos());
  }

  /**
   * The call failed, and nobody knows whether it was booked: what was not heard of is not spent.
   */
  public void grantFailed(GrantCall call, long nowNanos) {
    ended(call);
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
    if (fenced || ticking || since.compareTo(rules.tick()) < 0) {
      return Optional.empty();
    }
    ticking = true;
    tickedNanos = nowNanos;
    List<GiveBack> surplus = new ArrayList<>();
    for (Account account : ledger.accounts()) {
      account.observe(since, nowNanos);
      Long recall = recalls.remove(account.scope());
      boolean isIdle = account.isIdle(rules.idle(), nowNanos) && account.available() > 0;
      if (recall != null || (isIdle && booksHeard)) {
        MicroUsd idle = new MicroUsd(account.empty());
        surplus.add(new GiveBack(account.scope(), idle, recall == null ? 0 : recall));
        // Who asked for it comes first.
        account.refillNotBefore(nowNanos + REFILL_AGAIN.toNanos());
      }
    }
    recalls.clear(); // of leases that this process knows nothing of
    return Optional.of(new TickCall(surplus, nowNanos));
  }

  /** The books heard the sign of life. */
  public void ticked(TickCall call, TickAnswer answer, long nowNanos) {
    ticking = false;
    booksHeard = true;
    switch (answer) {
      case TickAnswer.Fenced _ -> fence();
      case TickAnswer.Alive alive -> {
        // From before the call: the books may have counted from then.
        open(call.beganNanos());
        for (Recall recall : alive.recalls()) {
          recalls.put(recall.scope(), recall.number());
        }
        forgetOld(alive.bankMillis());
      }
    }
  }

  private void forgetOld(long bankMillis) {
    Window then = Window.at(bankMillis - WINDOW_KEPT.toMillis());
    for (Account account : ledger.accounts()) {
      boolean isPast =
          account.scope().kind() != ScopeKind.ORG
              && account.payer().window().endsBefore(then, account.scope().kind());
      boolean isEmpty = account.available() == 0 && account.reserved() == 0;
      if (isPast && isEmpty && !account.isAsking()) {
        ledger.forget(account);
      }
    }
  }

  /**
   * The call failed; what it gave back counts as gone, whether it arrived or not, and nothing idle
   * is given back until the books are heard of again.
   */
  public void tickFailed(TickCall call, long nowNanos) {
    ticking = false;
    booksHeard = false;
    if (rules.outageGrace().isZero() && stopped == null) {
      ledger.admission(new NodeLedger.Admission.Open(nowNanos - 1));
    }
  }

  private void fence() {
    fenced = true;
    stop("Another process took over this node.");
  }
}
