package dev.tollgate.core.ledger;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Bank.Granted;
import dev.tollgate.core.ledger.Bank.Shortage;
import dev.tollgate.core.ledger.Line.Waiter;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * This node's part of the ledger: spends what it leased, on any loop and without waiting. What it
 * lacks, gives back and owes is the business of {@link Leasing}, on the ledger's own thread.
 */
public final class NodeLedger implements Ledger {
  private static final String NO_ROOM = "The ledger's disk has no room, or is too slow.";

  private final Journal journal;
  private final LedgerRules rules;
  private final LongSupplier nanos;
  private final Runnable wake;
  private final ConcurrentMap<KeyId, Purse> purses = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, Account> accounts = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Waiter> arrivals = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder recalls = new LongAdder();
  private final LongAdder leanGrants = new LongAdder();
  private volatile int leases;
  private volatile Admission admission = new Admission.Closed("The service is starting.");

  /** Whether requests may reserve. */
  sealed interface Admission {
    /**
     * Reservations are made.
     *
     * @param untilNanos and no longer without a further sign of life of the books
     */
    record Open(long untilNanos) implements Admission {}

    record Closed(String message) implements Admission {}
  }

  /**
   * @param nanos a monotonic clock
   * @param wake tells the ledger's thread that a request waits; cheap, from any thread
   */
  public NodeLedger(Journal journal, LedgerRules rules, LongSupplier nanos, Runnable wake) {
    this.journal = journal;
    this.rules = rules;
    this.nanos = nanos;
    this.wake = wake;
  }

  // On the loops

  @Override
  public void reserve(
      RequestId request, ApiKey key, MicroUsd most, Executor loop, Consumer<Answer> answer) {
    switch (admission) {
      case Admission.Closed closed -> answer.accept(Refusals.unavailable(closed.message()));
      case Admission.Open open -> {
        if (nanos.getAsLong() - open.untilNanos() > 0) {
          answer.accept(Refusals.unavailable("The ledger's store cannot be reached."));
        } else if (!journal.admits()) {
          answer.accept(Refusals.noRoom(NO_ROOM));
        } else {
          reserveOpen(request, purse(request, key), most.value(), loop, answer);
        }
      }
    }
  }

  /**
   * The refusal of every request that costs anything, where the books said a moment ago that
   * nothing is left of the balance of the key's organization; null where they must be asked.
   */
  public @Nullable Fault usedUp(ApiKey key) {
    Purse known = purses.get(key.id());
    if (known == null) {
      return null;
    }
    for (Account account : known.accounts()) {
      boolean isBalance = account.scope().kind() == ScopeKind.ORG;
      Shortage shortage = isBalance ? account.usedUp(nanos.getAsLong()) : null;
      if (shortage != null) {
        return Refusals.usedUp(shortage);
      }
    }
    return null;
  }

  private void reserveOpen(
      RequestId request, Purse purse, long most, Executor loop, Consumer<Answer> answer) {
    if (most == 0 || purse.take(most)) {
      answer.accept(new Answer.Reserved(reservation(request, purse, most, loop)));
    } else if (waiting.incrementAndGet() > rules.waitersMax()) {
      waiting.decrementAndGet();
      answer.accept(Refusals.noRoom("Too many requests wait for the ledger."));
    } else {
      arrivals.add(new Waiter(request, purse, most, loop, answer, nanos.getAsLong(), 0));
      wake.run();
    }
  }

  private Reservation reservation(RequestId request, Purse purse, long most, Executor loop) {
    return new OpenReservation(this, journal, request, purse, most, loop);
  }

  private Purse purse(RequestId request, ApiKey key) {
    Purse known = purses.get(key.id());
    int held = Purse.limited(key);
    if (known != null
        && known.held() == held
        && known.payer().window().contains(request.epochMillis())
        && !known.isStale()) {
      return known;
    }
    Purse made = purse(Payer.of(key.org().id(), key.id(), request), held);
    purses.put(key.id(), made); // two loops may both make it, of the same accounts
    return made;
  }

  private Purse purse(Payer payer, int held) {
    List<Account> its =
        ScopeKind.ALL.stream()
            .filter(kind -> (held & kind.bit()) != 0)
            .map(kind -> account(payer.scope(kind), payer))
            .toList();
    return new Purse(payer, held, its);
  }

  private Account account(Scope scope, Payer payer) {
    return accounts.computeIfAbsent(scope.id(), _ -> new Account(scope, payer, nanos.getAsLong()));
  }

  /** Money came back: it may be what someone waits for. */
  void freed() {
    if (waiting.get() > 0) {
      wake.run();
    }
  }

  // On the ledger's thread

  void admission(Admission now) {
    admission = now;
  }

  @Nullable Waiter nextArrival() {
    return arrivals.poll();
  }

  /** The waiter with a purse of accounts that are not forgotten. */
  Waiter renewed(Waiter waiter) {
    Purse its = waiter.purse();
    return its.isStale() ? waiter.with(purse(its.payer(), its.held())) : waiter;
  }

  Collection<Account> accounts() {
    return accounts.values();
  }

  /** Gives a waiter what it waits for, if it is there now. */
  boolean serve(Waiter waiter) {
    if (!waiter.purse().take(waiter.most())) {
      return false;
    }
    Reservation made = reservation(waiter.request(), waiter.purse(), waiter.most(), waiter.loop());
    if (!tell(waiter, new Answer.Reserved(made))) {
      made.release();
    }
    return true;
  }

  void refuse(Waiter waiter, Answer.Refused refused) {
    tell(waiter, refused);
  }

  private boolean tell(Waiter waiter, Answer answer) {
    waiting.decrementAndGet();
    try {
      waiter.loop().execute(() -> waiter.answer().accept(answer));
      return true;
    } catch (RejectedExecutionException loopHasEnded) {
      return false;
    }
  }

  /** By how much leases grew in the books in all. On the ledger's thread. */
  public void booked(List<Granted> overruns) {
    for (Granted overrun : overruns) {
      Account account = accounts.get(overrun.scope().id());
      if (account != null) {
        account.overran(overrun.amount().value());
      }
    }
  }

  /** Makes the account of a window that is about to follow, unless it is there. */
  void foresee(Account account, Payer next) {
    Scope scope = next.scope(account.scope().kind());
    accounts.computeIfAbsent(scope.id(), _ -> account.next(scope, next, nanos.getAsLong()));
  }

  /**
   * Forgets an account that nothing is held of any more. A request of its window that comes all the
   * same, because its body took hours, finds another.
   */
  void forget(Account account) {
    account.forget();
    accounts.remove(account.scope().id(), account);
    purses.computeIfPresent(account.payer().key(), (_, purse) -> purse.isStale() ? null : purse);
  }

  void holdsLeases(int count) {
    leases = count;
  }

  void wasRecalled() {
    recalls.increment();
  }

  void wasGrantedLess() {
    leanGrants.increment();
  }

  /** Forgets purses of forgotten accounts, and of days of which hardly a request comes any more. */
  void forgetPurses(Window kept) {
    purses
        .values()
        .removeIf(
            purse -> purse.isStale() || purse.payer().window().endsBefore(kept, ScopeKind.KEY_DAY));
  }

  /** Purses that are kept, one for each key that was used lately. */
  int purses() {
    return purses.size();
  }

  LedgerRules rules() {
    return rules;
  }

  // Figures, from any thread

  /** Requests that wait for a grant. */
  public int waiting() {
    return waiting.get();
  }

  /** Whether requests may reserve. */
  public boolean isOpen() {
    return admission instanceof Admission.Open open
        && nanos.getAsLong() - open.untilNanos() <= 0
        && journal.admits();
  }

  /**
   * Why this node, and it alone, cannot reserve; empty while it can, or would if the books could be
   * reached.
   */
  public Optional<String> obstacle() {
    return switch (admission) {
      case Admission.Closed closed -> Optional.of(closed.message());
      case Admission.Open _ -> journal.admits() ? Optional.empty() : Optional.of(NO_ROOM);
    };
  }

  /** Scopes of which something is held, at the last tick. */
  public int leases() {
    return leases;
  }

  /** Times that this node was asked to give back what is idle. */
  public long recalls() {
    return recalls.sum();
  }

  /** Grants of less than what was asked for. */
  public long leanGrants() {
    return leanGrants.sum();
  }
}
