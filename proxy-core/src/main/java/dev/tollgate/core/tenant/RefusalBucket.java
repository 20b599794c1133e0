package dev.tollgate.core.tenant;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Token bucket of refused requests (docs/decisions/limits.md#refusal-budgets): one atomic number,
 * the time at which the bucket will be full again. It starts full and refills evenly. Shared by all
 * event loops.
 */
public final class RefusalBucket {
  private final AtomicLong fullAtNanos;

  /** Creates a full bucket. */
  public RefusalBucket(long nowNanos) {
    fullAtNanos = new AtomicLong(nowNanos);
  }

  /**
   * Takes one token; false if there is none.
   *
   * @param tokenNanos time in which one token flows in
   * @param capacity number of tokens in a full bucket
   */
  public boolean tryDraw(long tokenNanos, long capacity, long nowNanos) {
    while (true) {
      long fullAt = fullAtNanos.get();
      long missing = Math.max(fullAt - nowNanos, 0);
      if (missing > tokenNanos * (capacity - 1)) {
        return false;
      }
      if (fullAtNanos.compareAndSet(fullAt, nowNanos + missing + tokenNanos)) {
        return true;
      }
    }
  }

  /** Gives a token back that was drawn at this rate; a full bucket stays full. */
  public void giveBack(long tokenNanos) {
    fullAtNanos.addAndGet(-tokenNanos);
  }
}
