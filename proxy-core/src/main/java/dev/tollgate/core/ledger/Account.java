package dev.tollgate.core.ledger;

import dev.tollgate.core.ledger.LedgerStore.Shortage;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * In-memory account of this node's lease on one spending scope, from which requests reserve. Base +
 * overrun = available + reserved + spent. All event loops change available and spent atomically;
 * the other fields are confined to the ledger's thread.
 */
final class Account {
  private static final double RATE_WEIGHT = 0.1;
  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final Duration BACKOFF_MAX = Duration.ofMinutes(1);

  private final Scope scope;
  private final Payer payer;
  private final AtomicLong available = new AtomicLong();
  private final AtomicLong spent = new AtomicLong();
  // Base and overrun together, for threads that only show them.
  private volatile long shownLease;
  private volatile boolean forgotten;
  private volatile @Nullable KnownShortage cachedShortage;
  // The largest recent reservation. A lost update of racing loops is benign: a later one repeats
  // it.
  private volatile long recentPeak;
  // As above, with a decay of ten minutes.
  private long longTermPeak;

  // The base is what was granted and not returned; the store adds the overrun where more was spent.
  private long base;
  private long overrun;
  private long spentAtTick;
  private double spentPerNano;
  private long movedNanos;
  private long refillNotBefore;
  private int pendingGrants;
  private boolean contested;
  private boolean statementPending;
  private boolean recallPending;
  private boolean inDoubt;
  private boolean idleStated;
  private boolean closeStated;
  private long closeNotBefore;
  private long statedRound;
  private int statementFailures;
  private long stateNotBefore;

  /** A shortage that the store returned, and until when it answers requests here. */
  private record KnownShortage(Shortage shortage, long untilNanos) {}

  Account(Scope scope, Payer payer, long nowNanos) {
    this.scope = scope;
    this.payer = payer;
    this.movedNanos = nowNanos;
    this.refillNotBefore = nowNanos;
    this.closeNotBefore = nowNanos;
  }

  /** Returns an account of the next window, with this one's rates. */
  Account next(Scope nextScope, Payer nextPayer, long nowNanos) {
    Account next = new Account(nextScope, nextPayer, nowNanos);
    next.recentPeak = longTermPeak;
    next.longTermPeak = longTermPeak;
    next.spentPerNano = spentPerNano;
    return next;
  }

  Scope scope() {
    return scope;
  }

  Payer payer() {
    return payer;
  }

  // On any thread

  boolean take(long amount) {
    while (true) {
      long now = available.get();
      if (now < amount) {
        return false;
      }
      if (available.compareAndSet(now, now - amount)) {
        if (amount > recentPeak) {
          recentPeak = amount;
        }
        return true;
      }
    }
  }

  void putBack(long amount) {
    available.addAndGet(amount);
  }

  /**
   * Turns a reservation into a charge. A charge above the reservation may make the available amount
   * negative.
   */
  void spend(long reserved, long cost) {
    spent.addAndGet(cost);
    available.addAndGet(reserved - cost);
  }

  long available() {
    return available.get();
  }

  /** Returns what running requests have reserved, nearly exact and on any thread. */
  long running() {
    return Math.max(0, shownLease - available.get() - spent.get());
  }

  /** True if this account was removed; its scope gets a new account when it is used again. */
  boolean isForgotten() {
    return forgotten;
  }

  /**
   * Returns the known shortage of a scope that is used up entirely; null if it may have money left.
   */
  @Nullable Shortage usedUp(long nowNanos) {
    KnownShortage known = cachedShortage;
    if (known == null || nowNanos - known.untilNanos >= 0 || available.get() > 0) {
      return null;
    }
    return known.shortage.used().compareTo(known.shortage.limit()) >= 0 ? known.shortage : null;
  }

  // On the ledger's thread

  /** Returns the sum of all grants received, less what was returned. */
  long base() {
    return base;
  }

  /** Returns what is reserved for running requests; exact while none begins or ends. */
  long reserved() {
    return base + overrun - available.get() - spent.get();
  }

  /**
   * Returns what was charged since the lease began, what is reserved, and the need for the time
   * ahead.
   */
  long committed(Duration ahead) {
    return Math.max(0, base + overrun - available.get()) + need(ahead);
  }

  /** True if anything is available or reserved; exact while no request begins or ends. */
  boolean holdsMoney() {
    return base + overrun > spent.get();
  }

  void grow(long amount) {
    base += amount;
    shownLease = base + overrun;
    available.addAndGet(amount);
    cachedShortage = null;
  }

  /**
   * Applies the total overrun that the store added. Idempotent: lower totals, which arrive late,
   * change nothing.
   */
  void applyOverrun(long total) {
    long delta = total - overrun;
    if (delta > 0) {
      overrun = total;
      shownLease = base + overrun;
      available.addAndGet(delta);
      cachedShortage = null;
    }
  }

  /** Takes all that is available out of the base, to return it. */
  void releaseIdle() {
    base -= Math.max(0, available.getAndUpdate(now -> Math.min(now, 0)));
    shownLease = base + overrun;
    cachedShortage = null;
  }

  /** Updates the rates of spending. To be called once a tick. */
  void observe(Duration sinceLast, long nowNanos) {
    long sum = spent.get();
    double now = (double) (sum - spentAtTick) / Math.max(1, sinceLast.toNanos());
    spentPerNano += RATE_WEIGHT * (now - spentPerNano);
    if (sum != spentAtTick || reserved() != 0) {
      movedNanos = nowNanos;
      idleStated = false;
    }
    spentAtTick = sum;
    long peak = recentPeak;
    recentPeak = Math.max(0, peak - 1 - (peak >> 7)); // halves in 9 s of ticks
    longTermPeak = Math.max(peak, longTermPeak - (longTermPeak >> 13)); // halves in 10 min
  }

  boolean isIdle(Duration idle, long nowNanos) {
    return nowNanos - movedNanos > idle.toNanos();
  }

  /**
   * True if the account is idle and its base must be stated: to return what is left, or once, to
   * learn the overrun, if more was spent than is held.
   */
  boolean needsIdleStatement(Duration idle, long nowNanos) {
    long left = available.get();
    return isIdle(idle, nowNanos) && (left > 0 || (left < 0 && !idleStated));
  }

  /** Returns what should be available to serve the traffic for the time ahead. */
  long need(Duration ahead) {
    return Math.max(2 * recentPeak, (long) (spentPerNano * ahead.toNanos()));
  }

  boolean isLow(LedgerRules rules, long nowNanos) {
    Duration ahead = rules.outageGrace().multipliedBy(5).dividedBy(4);
    return mayRequest()
        && pendingGrants == 0
        && recentPeak > 0
        && !isIdle(rules.idle(), nowNanos)
        && nowNanos - refillNotBefore >= 0
        && available.get() < need(ahead);
  }

  /** Returns the desired size of a grant whose minimum is {@code amount}. */
  long desired(long amount, Duration outageGrace) {
    long ahead = need(outageGrace.multipliedBy(2)) - Math.max(0, available.get());
    return Math.max(amount, Math.max(5 * Math.max(amount, recentPeak), ahead));
  }

  // Pending calls. The base can be stated only while no other call may change it.

  /** Counts a grant call that begins (1) or has ended (-1). */
  void pendingGrants(int delta) {
    pendingGrants += delta;
    contested &= pendingGrants > 0;
  }

  /**
   * True if the store's refusal of {@code minimum} is final: no other grant is pending or in doubt,
   * and no less is {@code lacking} by now. Otherwise no further grant begins before all have ended,
   * so that the last refusal is final.
   */
  boolean isRefusalFinal(long minimum, long lacking) {
    contested = pendingGrants > 0;
    return pendingGrants == 0 && !inDoubt && lacking >= minimum;
  }

  /**
   * True if a grant may be requested. An account in doubt states its base with the request, unless
   * more was spent than is known to be held, or the lease may be closed: only the answer to a tick
   * resolves these.
   */
  boolean mayRequest() {
    boolean mayStateToo = pendingGrants == 0 && available.get() >= 0 && !closeStated;
    return !statementPending
        && !recallPending
        && !(contested && pendingGrants > 0)
        && (!inDoubt || mayStateToo);
  }

  /** True if the base can be stated now. */
  boolean mayState() {
    return !statementPending && pendingGrants == 0;
  }

  /** Begins a statement in the round of this number. */
  void beginStatement(long round) {
    statementPending = true;
    idleStated = true;
    statedRound = round;
  }

  long statedRound() {
    return statedRound;
  }

  /**
   * Marks the statement that begins as the last one. If the lease cannot be closed yet, the next
   * such statement may follow from {@code notBefore} on.
   */
  void stateClose(long notBefore) {
    closeStated = true;
    closeNotBefore = notBefore;
  }

  boolean mayStateClose(long nowNanos) {
    return nowNanos - closeNotBefore >= 0;
  }

  /** True if nothing is available or reserved; exact while no request begins or ends. */
  boolean isEmpty() {
    return available.get() == 0 && reserved() == 0;
  }

  /**
   * True if the account never held or spent anything, so that it can be removed without a
   * statement.
   */
  boolean isUntouched() {
    return base == 0 && overrun == 0 && spent.get() == 0 && !inDoubt && mayState();
  }

  /**
   * Ends a statement.
   *
   * @param acknowledged false if the store may not have received it
   */
  void endStatement(boolean acknowledged) {
    statementPending = false;
    inDoubt = !acknowledged;
    closeStated &= !acknowledged;
    statementFailures = acknowledged ? 0 : statementFailures;
  }

  /**
   * Backs off after the store was reachable and rejected a statement of this account alone: not at
   * all the first time, then for longer each time.
   */
  void statementRejected(long nowNanos) {
    statementFailures++;
    Duration longer = BACKOFF.multipliedBy(1L << Math.min(10, Math.max(0, statementFailures - 2)));
    Duration backoff = longer.compareTo(BACKOFF_MAX) > 0 ? BACKOFF_MAX : longer;
    stateNotBefore = isPoison() ? nowNanos + backoff.toNanos() : nowNanos;
  }

  /** True if the account must be stated in a heartbeat of its own. */
  boolean hasStatementFailed() {
    return statementFailures > 0;
  }

  /** True if statements failed so often that the account itself must be the cause. */
  boolean isPoison() {
    return statementFailures > 1;
  }

  boolean isBackedOff(long nowNanos) {
    return hasStatementFailed() && nowNanos - stateNotBefore < 0;
  }

  /** Sets whether a recall waits for a statement; no further grant is requested before. */
  void recallPending(boolean pending) {
    recallPending = pending;
  }

  boolean isRecallPending() {
    return recallPending;
  }

  /** Marks that a call failed: the store's base may be higher than this one. */
  void markInDoubt() {
    inDoubt = true;
  }

  /** Marks this account as removed. */
  void forget() {
    forgotten = true;
  }

  /** Marks that the store received the base with a grant request. */
  void clearInDoubt() {
    inDoubt = false;
    idleStated = false;
  }

  boolean isInDoubt() {
    return inDoubt;
  }

  void refillNotBefore(long nanos) {
    refillNotBefore = nanos;
  }

  /** Caches a shortage, which answers requests for a short while without a call. */
  void rememberShortage(Shortage shortage, long untilNanos) {
    cachedShortage = new KnownShortage(shortage, untilNanos);
  }

  /**
   * Returns the cached shortage that rules out {@code minimum} more; null if the store has to be
   * called.
   */
  @Nullable Shortage knownShortage(long minimum, long nowNanos) {
    KnownShortage known = cachedShortage;
    if (known == null || minimum <= 0 || nowNanos - known.untilNanos >= 0) {
      return null;
    }
    return known.shortage.free().value() < minimum ? known.shortage : null;
  }

  /** Returns the most that a request could reserve, by what the store has and what is here. */
  long attainable(Shortage shortage) {
    return Math.max(0, shortage.free().value() + available.get());
  }
}
