package dev.tollgate.core.ledger;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.AccountBalance.HeldHere;
import dev.tollgate.core.ledger.GrantQueue.Waiter;
import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.LedgerStore.Shortage;
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
 * Implementation of the ledger on this node: reserves from the node's leases in memory, on any
 * event loop and without blocking. {@link LeasePlanner} extends and returns the leases on the
 * ledger's own thread.
 */
public final class NodeLedger implements Ledger {
  private static final String JOURNAL_FULL = "The ledger's disk has no room, or is too slow.";

  private final Journal journal;
  private final LedgerRules rules;
  private final LongSupplier nanos;
  private final Runnable wake;
  private final ConcurrentMap<KeyId, PayerAccounts> cachedPayers = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, Account> accounts = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Waiter> arrivals = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder recalls = new LongAdder();
  private final LongAdder partialGrants = new LongAdder();
  private volatile int leases;
  private volatile AdmissionState admission = new AdmissionState.Closed("The service is starting.");

  /** Admission of requests by the ledger. */
  sealed interface AdmissionState {
    /**
     * Reservations are made.
     *
     * @param untilNanos when admission ends unless the store acknowledges another heartbeat
     */
    record Open(long untilNanos) implements AdmissionState {}

    record Closed(String message) implements AdmissionState {}
  }

  /**
   * @param nanos a monotonic clock
   * @param wake wakes the ledger's thread when a request waits; cheap, called from any thread
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
      RequestId request,
      ApiKey key,
      MicroUsd amount,
      Executor loop,
      Consumer<ReserveResult> answer) {
    switch (admission) {
      case AdmissionState.Closed closed -> answer.accept(Refusals.unavailable(closed.message()));
      case AdmissionState.Open open -> {
        if (nanos.getAsLong() - open.untilNanos() > 0) {
          answer.accept(Refusals.unavailable("The ledger store cannot be reached."));
        } else if (!journal.admits()) {
          answer.accept(Refusals.overloaded(JOURNAL_FULL));
        } else {
          reserveOpen(request, payerAccounts(request, key), amount.value(), loop, answer);
        }
      }
    }
  }

  /**
   * Returns the refusal of every request that costs anything, if the store answered a moment ago
   * that the balance of the key's organization is used up; null if that is not known.
   */
  public @Nullable Fault usedUp(ApiKey key) {
    PayerAccounts known = cachedPayers.get(key.id());
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

  /** Returns what this node holds of a key's scope, to be shown and never for admission. */
  public HeldHere held(KeyId key, Window window, ScopeKind kind) {
    PayerAccounts known = cachedPayers.get(key);
    if (known != null && known.payer().window().equals(window)) {
      for (Account account : known.accounts()) {
        if (account.scope().kind() == kind) {
          return new HeldHere(
              new MicroUsd(Math.max(0, account.available())), new MicroUsd(account.running()));
        }
      }
    }
    return HeldHere.NOTHING;
  }

  private void reserveOpen(
      RequestId request,
      PayerAccounts payerAccounts,
      long amount,
      Executor loop,
      Consumer<ReserveResult> answer) {
    if (amount == 0 || payerAccounts.take(amount)) {
      answer.accept(new ReserveResult.Reserved(reservation(request, payerAccounts, amount, loop)));
    } else if (waiting.incrementAndGet() > rules.waitersMax()) {
      waiting.decrementAndGet();
      answer.accept(Refusals.overloaded("Too many requests wait for the ledger."));
    } else {
      arrivals.add(new Waiter(request, payerAccounts, amount, loop, answer, nanos.getAsLong(), 0));
      wake.run();
    }
  }

  private Reservation reservation(
      RequestId request, PayerAccounts payerAccounts, long amount, Executor loop) {
    return new OpenReservation(this, journal, request, payerAccounts, amount, loop);
  }

  private PayerAccounts payerAccounts(RequestId request, ApiKey key) {
    PayerAccounts known = cachedPayers.get(key.id());
    int scopeKinds = PayerAccounts.limitedKinds(key);
    if (known != null
        && known.scopeKinds() == scopeKinds
        && known.payer().window().contains(request.epochMillis())
        && !known.isStale()) {
      return known;
    }
    PayerAccounts made = payerAccounts(Payer.of(key, request), scopeKinds);
    cachedPayers.put(key.id(), made); // two loops may both make one, with the same accounts
    return made;
  }

  private PayerAccounts payerAccounts(Payer payer, int scopeKinds) {
    List<Account> own =
        ScopeKind.ALL.stream()
            .filter(kind -> (scopeKinds & kind.bit()) != 0)
            .map(kind -> account(payer.scope(kind), payer))
            .toList();
    return new PayerAccounts(payer, scopeKinds, own);
  }

  private Account account(Scope scope, Payer payer) {
    return accounts.computeIfAbsent(scope.id(), _ -> new Account(scope, payer, nanos.getAsLong()));
  }

  /** Wakes the ledger's thread if requests wait, because money was released. */
  void freed() {
    if (waiting.get() > 0) {
      wake.run();
    }
  }

  // On the ledger's thread

  void admission(AdmissionState now) {
    admission = now;
  }

  @Nullable Waiter nextArrival() {
    return arrivals.poll();
  }

  /** Returns the waiter with accounts that are not forgotten. */
  Waiter renewed(Waiter waiter) {
    PayerAccounts own = waiter.payerAccounts();
    return own.isStale()
        ? waiter.withAccounts(payerAccounts(own.payer(), own.scopeKinds()))
        : waiter;
  }

  Collection<Account> accounts() {
    return accounts.values();
  }

  /**
   * Answers a waiter with its reservation if the leases suffice now. Returns false if they do not.
   */
  boolean serve(Waiter waiter) {
    if (!waiter.payerAccounts().take(waiter.amount())) {
      return false;
    }
    Reservation made =
        reservation(waiter.request(), waiter.payerAccounts(), waiter.amount(), waiter.loop());
    if (!deliver(waiter, new ReserveResult.Reserved(made))) {
      made.release();
    }
    return true;
  }

  void refuse(Waiter waiter, ReserveResult.Refused refused) {
    deliver(waiter, refused);
  }

  private boolean deliver(Waiter waiter, ReserveResult answer) {
    waiting.decrementAndGet();
    try {
      waiter.loop().execute(() -> waiter.answer().accept(answer));
      return true;
    } catch (RejectedExecutionException loopHasEnded) {
      return false;
    }
  }

  /**
   * Applies the total growth of leases by overruns, as the store has it. On the ledger's thread.
   */
  public void applyOverruns(List<LeaseGrowth> overruns) {
    for (LeaseGrowth overrun : overruns) {
      Account account = accounts.get(overrun.scope().id());
      if (account != null) {
        account.applyOverrun(overrun.amount().value());
      }
    }
  }

  /** Creates the account of the next window if there is none. */
  void prefetch(Account account, Payer next) {
    Scope scope = next.scope(account.scope().kind());
    accounts.computeIfAbsent(scope.id(), _ -> account.next(scope, next, nanos.getAsLong()));
  }

  /**
   * Removes an account of which nothing is held any more. A late request of its window, for example
   * one whose body took hours, gets a new account.
   */
  void forget(Account account) {
    account.forget();
    accounts.remove(account.scope().id(), account);
    cachedPayers.computeIfPresent(
        account.payer().key(),
        (_, payerAccounts) -> payerAccounts.isStale() ? null : payerAccounts);
  }

  void setLeases(int count) {
    leases = count;
  }

  void countRecall() {
    recalls.increment();
  }

  void countPartialGrant() {
    partialGrants.increment();
  }

  /** Removes cached payers with forgotten accounts or of days before the retained window. */
  void evictPayers(Window kept) {
    cachedPayers
        .values()
        .removeIf(
            payerAccounts ->
                payerAccounts.isStale()
                    || payerAccounts.payer().window().endsBefore(kept, ScopeKind.KEY_DAY));
  }

  /** Returns the number of cached payers, one for each recently used key. */
  int cachedPayers() {
    return cachedPayers.size();
  }

  LedgerRules rules() {
    return rules;
  }

  // Figures, from any thread

  /** Returns the number of requests that wait for a grant. */
  public int waiting() {
    return waiting.get();
  }

  /** True if requests may reserve. */
  public boolean isOpen() {
    return admission instanceof AdmissionState.Open open
        && nanos.getAsLong() - open.untilNanos() <= 0
        && journal.admits();
  }

  /**
   * Returns why this node in particular cannot reserve; empty while it can, or could if the ledger
   * store were reachable.
   */
  public Optional<String> unavailableReason() {
    return switch (admission) {
      case AdmissionState.Closed closed -> Optional.of(closed.message());
      case AdmissionState.Open _ -> journal.admits() ? Optional.empty() : Optional.of(JOURNAL_FULL);
    };
  }

  /** Returns the number of scopes with a lease, as of the last tick. */
  public int leases() {
    return leases;
  }

  /** Returns how often idle money was recalled from this node. */
  public long recalls() {
    return recalls.sum();
  }

  /** Returns the number of grants below the desired amount. */
  public long partialGrants() {
    return partialGrants.sum();
  }
}
