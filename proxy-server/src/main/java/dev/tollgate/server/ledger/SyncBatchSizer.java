package dev.tollgate.server.ledger;

import java.time.Duration;

/**
 * How many charges a sync of the disk should be for: a sync costs a fixed amount of CPU, so that
 * under load charges that come one after the other share one. A lone charge never waits, and none
 * waits longer for others than it would wait for its event loop anyway: where loops answer at once
 * CPU is there to be spent, and where they do not, time that is saved here is lost there. For the
 * writer's thread.
 */
final class SyncBatchSizer {
  /** All that is known is of about so long. */
  private static final double AVERAGING_NANOS = Duration.ofMillis(20).toNanos();

  private final long minNanos;
  private final long maxNanos;
  private double horizonNanos;
  private double chargesPerNano;
  private double concurrentMax;
  private long lastNanos;

  /**
   * @param min charges that come within that time share a sync, however idle the loops are
   * @param max and never those that are further apart than that
   */
  SyncBatchSizer(Duration min, Duration max, long nowNanos) {
    this.minNanos = min.toNanos();
    this.maxNanos = max.toNanos();
    this.horizonNanos = minNanos;
    this.lastNanos = nowNanos;
  }

  /**
   * For how many charges the next sync should be, at least 1: as many as should come within the
   * horizon, and no more than requests were under way at a time, for who calls again only when it
   * was answered does not come meanwhile.
   *
   * @param charges that the last look at the queue found
   * @param concurrent the most requests that were at a time, up to their charge's sync, since the
   *     last look
   * @param loopNanos how long an event loop lately kept waiting what providers sent
   */
  int next(int charges, int concurrent, long loopNanos, long nowNanos) {
    double elapsed = Math.max(1, nowNanos - lastNanos);
    double weight = Math.min(1, elapsed / AVERAGING_NANOS);
    chargesPerNano += weight * (charges / elapsed - chargesPerNano);
    horizonNanos += weight * (Math.clamp(loopNanos, minNanos, maxNanos) - horizonNanos);
    concurrentMax = Math.max(concurrent, concurrentMax + weight * (concurrent - concurrentMax));
    lastNanos = nowNanos;
    double expected = Math.min(chargesPerNano * horizonNanos, concurrentMax);
    return Math.max(1, (int) expected);
  }

  /** How long who comes first may wait for the others. */
  long horizonNanos() {
    return (long) horizonNanos;
  }
}
