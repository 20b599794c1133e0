package dev.tollgate.server.ledger;

import java.time.Duration;

/**
 * Sizer of the batch of charges that share one sync of the disk. A sync costs a fixed amount of
 * CPU, so under load successive charges should share one. A lone charge never waits, and no charge
 * waits longer for others than the delay of its event loop: idle loops mean that CPU is available
 * for more syncs, and with busy loops a faster sync would gain nothing. Confined to the writer's
 * thread.
 */
final class SyncBatchSizer {
  /** Time constant of the averages. */
  private static final double AVERAGING_NANOS = Duration.ofMillis(20).toNanos();

  private final long minNanos;
  private final long maxNanos;
  private double horizonNanos;
  private double chargesPerNano;
  private double concurrentMax;
  private long lastNanos;

  /**
   * @param min least horizon: charges within that time share a sync, even with idle event loops
   * @param max greatest horizon: charges further apart never share a sync
   */
  SyncBatchSizer(Duration min, Duration max, long nowNanos) {
    this.minNanos = min.toNanos();
    this.maxNanos = max.toNanos();
    this.horizonNanos = minNanos;
    this.lastNanos = nowNanos;
  }

  /**
   * Returns the target number of charges for the next sync, at least 1: as many as are expected
   * within the horizon, and no more than there were concurrent requests, because clients that call
   * again only after a reply cannot send more meanwhile.
   *
   * @param charges number of charges that the last poll of the queue found
   * @param concurrent most concurrent requests since the last poll, counted until their charge is
   *     synced
   * @param loopNanos recent delay of provider events on an event loop
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

  /** Returns how long the first charge may wait for others. */
  long horizonNanos() {
    return (long) horizonNanos;
  }
}
