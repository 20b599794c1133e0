package dev.tollgate.core.ledger;

import dev.tollgate.core.ledger.LedgerStore.Shortage;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What this node holds of one scope: base + overrun = available + reserved + spent. What is
 * available and what is spent is moved by all loops at once; the rest belongs to the ledger's
 * thread.
 */
final class Account {
  private static final double RATE_WEIGHT = 0.1;
  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final Duration BACKOFF_MAX = Duration.ofMinutes(1);

  private final Scope scope;
  private final Payer payer;
  private final AtomicLong available = new AtomicLong();
  private final AtomicLong spent = new AtomicLong();
  private volatile boolean forgotten;
  private volatile @Nullable KnownShortage cachedShortage;
  // The largest reservation of late. Loops race for it, and a lost one is made good by the next.
  private volatile long recentPeak;
  // The same, forgotten in many minutes.
  private long longTermPeak;

  // What was granted and not given back, and what the books added because more was spent.
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

  /** What the books said, for as long as nobody need ask them again. */
  private record KnownShortage(Shortage shortage, long untilNanos) {}

  Account(Scope scope, Payer payer, long nowNanos) {
    this.scope = scope;
    this.payer = payer;
    this.movedNanos = nowNanos;
    this.refillNotBefore = nowNanos;
    this.closeNotBefore = nowNanos;
  }

  /** The account of the window that follows, where as much will be needed. */
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

  /** A reservation ended as a charge; one that is dearer overdraws what is available. */
  void spend(long reserved, long cost) {
    spent.addAndGet(cost);
    available.addAndGet(reserved - cost);
  }

  long available() {
    return available.get();
  }

  /** Whether another account takes its place should its scope be wanted again. */
  boolean isForgotten() {
    return forgotten;
  }

  /** What the books said of a sum of which nothing is left at all, or null where some may be. */
  @Nullable Shortage usedUp(long nowNanos) {
    KnownShortage known = cachedShortage;
    if (known == null || nowNanos - known.untilNanos >= 0 || available.get() > 0) {
      return null;
    }
    return known.shortage.used().compareTo(known.shortage.limit()) >= 0 ? known.shortage : null;
  }

  // On the ledger's thread

  /** What the books were heard to grant, less what was given back. */
  long base() {
    return base;
  }

  /** Set aside for requests that run; exact while none begins or ends. */
  long reserved() {
    return base + overrun - available.get() - spent.get();
  }

  /** Charged since the lease is held, reserved, and wanted to go on for so long. */
  long committed(Duration ahead) {
    return Math.max(0, base + overrun - available.get()) + need(ahead);
  }

  /** Whether anything is available or set aside; exact while no request begins or ends. */
  boolean holdsMoney() {
    return base + overrun > spent.get();
  }

  void grow(long amount) {
    base += amount;
    available.addAndGet(amount);
    cachedShortage = null;
  }

  /**
   * The books added so much in all; what was heard before, in whatever order, is not added again.
   */
  void applyOverrun(long total) {
    long delta = total - overrun;
    if (delta > 0) {
      overrun = total;
      available.addAndGet(delta);
      cachedShortage = null;
    }
  }

  /** Takes all that is idle out of the base, to give it back. */
  void releaseIdle() {
    base -= Math.max(0, available.getAndUpdate(now -> Math.min(now, 0)));
    cachedShortage = null;
  }

  /** Once a tick: how fast money goes. */
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
    recentPeak = Math.max(0, peak - 1 - (peak >> 7)); // halves in nine seconds of ticks
    longTermPeak = Math.max(peak, longTermPeak - (longTermPeak >> 13)); // in ten min
  }

  boolean isIdle(Duration idle, long nowNanos) {
    return nowNanos - movedNanos > idle.toNanos();
  }

  /**
   * Whether nothing moved for so long and its base has to be said: to give back what is left, or,
   * where more was spent than is held, to hear how the books took that; once.
   */
  boolean needsIdleStatement(Duration idle, long nowNanos) {
    long left = available.get();
    return isIdle(idle, nowNanos) && (left > 0 || (left < 0 && !idleStated));
  }

  /** What should be available to go on for so long. */
  long need(Duration ahead) {
    return Math.max(2 * recentPeak, (long) (spentPerNano * ahead.toNanos()));
  }

  boolean isLow(LedgerRules rules, long nowNanos) {
    Duration ahead = rules.outageGrace().multipliedBy(5).dividedBy(4);
    return mayAsk()
        && pendingGrants == 0
        && recentPeak > 0
        && !isIdle(rules.idle(), nowNanos)
        && nowNanos - refillNotBefore >= 0
        && available.get() < need(ahead);
  }

  /** What would be welcome beside {@code amount}, with what is there. */
  long desired(long amount, Duration outageGrace) {
    long ahead = need(outageGrace.multipliedBy(2)) - Math.max(0, available.get());
    return Math.max(amount, Math.max(5 * Math.max(amount, recentPeak), ahead));
  }

  // Calls that are under way. What the base is can only be said while nothing else may change it.

  /** A grant for it begins (1) or has ended (-1). */
  void pendingGrants(int delta) {
    pendingGrants += delta;
    contested &= pendingGrants > 0;
  }

  /**
   * Whether the books' refusal of {@code least} still holds: nothing else that they gave, or may
   * give, is on its way, and no less is {@code lacking} by now. Where it does not, no further grant
   * begins before all have ended, so that the last of them is told for good.
   */
  boolean isRefusalFinal(long minimum, long lacking) {
    contested = pendingGrants > 0;
    return pendingGrants == 0 && !inDoubt && lacking >= minimum;
  }

  /**
   * Whether a grant may be asked for. One in doubt is stated with it, unless more was spent than is
   * known to be held, or the lease may be closed: only the answer to a tick says how the books took
   * that.
   */
  boolean mayAsk() {
    boolean mayStateToo = pendingGrants == 0 && available.get() >= 0 && !closeStated;
    return !statementPending
        && !recallPending
        && !(contested && pendingGrants > 0)
        && (!inDoubt || mayStateToo);
  }

  /** Whether its base can be stated now. */
  boolean mayState() {
    return !statementPending && pendingGrants == 0;
  }

  /** A statement begins, in the turn of this number. */
  void beginStatement(long round) {
    statementPending = true;
    idleStated = true;
    statedRound = round;
  }

  long statedRound() {
    return statedRound;
  }

  /** The statement that begins is to be the last; where it is not, the next may follow then. */
  void stateClose(long notBefore) {
    closeStated = true;
    closeNotBefore = notBefore;
  }

  boolean mayStateClose(long nowNanos) {
    return nowNanos - closeNotBefore >= 0;
  }

  /** Whether nothing is left and nothing runs; exact while no request begins or ends. */
  boolean isEmpty() {
    return available.get() == 0 && reserved() == 0;
  }

  /** Whether it is as it was when it was made, so that nobody need be told that it is forgotten. */
  boolean isUntouched() {
    return base == 0 && overrun == 0 && spent.get() == 0 && !inDoubt && mayState();
  }

  /** A statement has ended, heard by the books or perhaps not. */
  void endStatement(boolean acknowledged) {
    statementPending = false;
    inDoubt = !acknowledged;
    closeStated &= !acknowledged;
    statementFailures = acknowledged ? 0 : statementFailures;
  }

  /**
   * The books could be reached and did not take what was stated of this one alone: it is put off,
   * the first time by nothing and then for longer each time.
   */
  void statementRejected(long nowNanos) {
    statementFailures++;
    Duration longer = BACKOFF.multipliedBy(1L << Math.min(10, Math.max(0, statementFailures - 2)));
    Duration backoff = longer.compareTo(BACKOFF_MAX) > 0 ? BACKOFF_MAX : longer;
    stateNotBefore = isPoison() ? nowNanos + backoff.toNanos() : nowNanos;
  }

  /** Whether it has to be stated alone. */
  boolean hasStatementFailed() {
    return statementFailures > 0;
  }

  /** Whether it stumbled so often that it cannot be chance. */
  boolean isPoison() {
    return statementFailures > 1;
  }

  boolean isBackedOff(long nowNanos) {
    return hasStatementFailed() && nowNanos - stateNotBefore < 0;
  }

  /** It has to be stated as soon as it can be; no further grant is asked for before. */
  void recallPending(boolean pending) {
    recallPending = pending;
  }

  boolean isRecallPending() {
    return recallPending;
  }

  /** A call failed, and the books may hold more for this node than it knows of. */
  void markInDoubt() {
    inDoubt = true;
  }

  /** Nothing is held of it any more, nor will be. */
  void forget() {
    forgotten = true;
  }

  /** The books heard with a grant what the base is. */
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

  /** The books could not give; for a short while nobody needs to ask them again. */
  void rememberShortage(Shortage shortage, long untilNanos) {
    cachedShortage = new KnownShortage(shortage, untilNanos);
  }

  /** What is known to stand against {@code least} more, or null where the books must be asked. */
  @Nullable Shortage knownShortage(long minimum, long nowNanos) {
    KnownShortage known = cachedShortage;
    if (known == null || minimum <= 0 || nowNanos - known.untilNanos >= 0) {
      return null;
    }
    Shortage shortage = known.shortage;
    long free = shortage.limit().value() - shortage.used().value() - shortage.leased().value();
    return free < minimum ? shortage : null;
  }
}
