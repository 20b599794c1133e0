package dev.tollgate.server.ledger;

import java.time.Duration;

/**
 * How many charges a sync of the disk should be for: a sync costs a fixed amount of CPU, so that
 * under load charges that come one after the other share one. A lone charge never waits. For the
 * writer's thread.
 */
final class Pace {
  /** The rate is that of about so long. */
  private static final double MEMORY_NANOS = Duration.ofMillis(20).toNanos();

  private final double horizonNanos;
  private double chargesPerNano;
  private long lastNanos;

  /**
   * @param horizon charges that come within that time share a sync
   */
  Pace(Duration horizon, long nowNanos) {
    this.horizonNanos = horizon.toNanos();
    this.lastNanos = nowNanos;
  }

  /**
   * For how many charges the next sync should be, at least 1: as many as should come within the
   * horizon, and no more than there are requests that could end meanwhile.
   *
   * @param charges that the last look at the queue found
   * @param running requests whose end is still to come
   */
  int next(int charges, int running, long nowNanos) {
    double elapsed = Math.max(1, nowNanos - lastNanos);
    double weight = Math.min(1, elapsed / MEMORY_NANOS);
    chargesPerNano += weight * (charges / elapsed - chargesPerNano);
    lastNanos = nowNanos;
    double expected = Math.min(chargesPerNano * horizonNanos, running);
    return Math.max(1, (int) expected);
  }
}
