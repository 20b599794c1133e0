package dev.tollgate.core.ledger;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Detector of drift between a machine's monotonic clock and its wall clock. Leases end by the
 * monotonic clock, which stops while the machine is suspended; only the wall clock shows that time.
 * Confined to one thread.
 */
public final class ClockDriftDetector {
  private static final Duration DRIFT_MAX = Duration.ofSeconds(5);

  private long nanos;
  private long wallMillis;

  public ClockDriftDetector(long nanos, long wallMillis) {
    this.nanos = nanos;
    this.wallMillis = wallMillis;
  }

  /** True if the clocks drifted apart by more than 5 s since the last call, in either direction. */
  public boolean hasDrifted(long nowNanos, long nowWallMillis) {
    long counted = TimeUnit.NANOSECONDS.toMillis(nowNanos - nanos);
    long drift = Math.abs(nowWallMillis - wallMillis - counted);
    nanos = nowNanos;
    wallMillis = nowWallMillis;
    return drift > DRIFT_MAX.toMillis();
  }
}
