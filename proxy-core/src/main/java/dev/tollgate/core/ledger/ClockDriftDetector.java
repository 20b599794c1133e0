package dev.tollgate.core.ledger;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Compares a machine's two clocks: the monotonic one, by which leases end, stands still while the
 * machine is suspended, and then only the wall clock knows. For one thread.
 */
public final class ClockDriftDetector {
  private static final Duration DRIFT_MAX = Duration.ofSeconds(5);

  private long nanos;
  private long wallMillis;

  public ClockDriftDetector(long nanos, long wallMillis) {
    this.nanos = nanos;
    this.wallMillis = wallMillis;
  }

  /** Whether they went apart by more than 5 s since the last look, in either direction. */
  public boolean hasDrifted(long nowNanos, long nowWallMillis) {
    long counted = TimeUnit.NANOSECONDS.toMillis(nowNanos - nanos);
    long drift = Math.abs(nowWallMillis - wallMillis - counted);
    nanos = nowNanos;
    wallMillis = nowWallMillis;
    return drift > DRIFT_MAX.toMillis();
  }
}
