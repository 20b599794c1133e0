package dev.tollgate.core.routing;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Health of one provider at one upstream endpoint: the circuit that failures to reach it open,
 * retry budget, running attempts and lost hedges. Shared by all loops.
 */
public final class ProviderHealth {
  private static final int HEDGES_LOST_MAX = 10;

  private final Breaker endpoint = new Breaker(new LatestFailures());
  private final RetryBudget retries = new RetryBudget();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger hedgesLost = new AtomicInteger();
  private volatile long answeredNanos;
  private volatile boolean everAnswered;

  /** Returns the circuit that stops all requests to the endpoint. */
  public Breaker endpoint() {
    return endpoint;
  }

  RetryBudget retries() {
    return retries;
  }

  /** Returns the number of attempts of this kind that the retry budget did not allow. */
  public long refused(ExtraAttempt purpose) {
    return retries.refused(purpose);
  }

  /** Returns the number of running attempts. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Reports that a response head arrived, whatever its status. */
  void answered(long nowNanos) {
    answeredNanos = nowNanos;
    everAnswered = true;
  }

  /** True if a response head arrived after {@code nanos}. */
  boolean hasAnsweredSince(long nanos) {
    return everAnswered && answeredNanos - nanos > 0;
  }

  /** Counts an attempt that was canceled because another provider was faster. */
  void hedgesLost() {
    hedgesLost.incrementAndGet();
  }

  /** Resets the count of lost hedges after an attempt that showed whether the provider works. */
  void resetHedgesLost() {
    if (hedgesLost.get() != 0) {
      hedgesLost.set(0);
    }
  }

  /**
   * True for one caller after {@link #HEDGES_LOST_MAX} lost hedges in a row: its attempt is to run
   * to its end, to show whether the provider works.
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
