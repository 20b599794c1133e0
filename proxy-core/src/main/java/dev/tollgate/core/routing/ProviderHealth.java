package dev.tollgate.core.routing;

import java.util.concurrent.atomic.AtomicInteger;

/** What is known of one provider at one endpoint. Shared by all loops. */
public final class ProviderHealth {
  private static final int HEDGES_LOST_MAX = 10;

  private final Breaker breaker = new Breaker();
  private final RetryBudget retries = new RetryBudget();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger hedgesLost = new AtomicInteger();
  private volatile long answeredNanos;
  private volatile boolean everAnswered;

  public Breaker breaker() {
    return breaker;
  }

  RetryBudget retries() {
    return retries;
  }

  /** Tries of this kind that its retry budget did not allow. */
  public long refused(ExtraAttempt purpose) {
    return retries.refused(purpose);
  }

  /** Tries under way. */
  public int inFlight() {
    return inFlight.get();
  }

  /** The head of an answer came, whatever it says. */
  void answered(long nowNanos) {
    answeredNanos = nowNanos;
    everAnswered = true;
  }

  /** Whether anybody was answered since then. */
  boolean hasAnsweredSince(long nanos) {
    return everAnswered && answeredNanos - nanos > 0;
  }

  /** A try was given up because another provider was faster. */
  void hedgesLost() {
    hedgesLost.incrementAndGet();
  }

  /** A try was served, or failed in a way that shows the provider. */
  void resetHedgesLost() {
    if (hedgesLost.get() != 0) {
      hedgesLost.set(0);
    }
  }

  /**
   * Whether one try shall show whether the provider works, because others always serve in its
   * place: only who asks first is told so, and nobody again until it was outrun as often once more.
   */
  boolean tryClaimProbe() {
    int count = hedgesLost.get();
    return count >= HEDGES_LOST_MAX && hedgesLost.compareAndSet(count, 0);
  }

  void begun() {
    inFlight.incrementAndGet();
    retries.request();
  }

  void ended() {
    inFlight.decrementAndGet();
  }
}
