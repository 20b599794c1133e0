package dev.tollgate.core.ledger;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Estimate of the ledger store's clock: its last reading, advanced by this machine's monotonic
 * clock. With it all nodes count a request in the same window, whatever their own wall clocks show.
 * Read by any thread, set by the ledger's thread.
 */
public final class LedgerClock implements InstantSource {
  private final LongSupplier nanos;
  private volatile Reading reading;

  /** The store's time at one reading of the monotonic clock. */
  private record Reading(long storeMillis, long nanos) {
    long millisAt(long nowNanos) {
      return storeMillis + TimeUnit.NANOSECONDS.toMillis(nowNanos - nanos);
    }
  }

  /**
   * @param nanos a monotonic clock
   * @param storeMillis the store's time now
   */
  public LedgerClock(LongSupplier nanos, long storeMillis) {
    this.nanos = nanos;
    this.reading = new Reading(storeMillis, nanos.getAsLong());
  }

  /**
   * Applies the time that the store returned in a call. The estimate stays if it equals that time
   * at some moment of the call, so that the clock does not jitter with the network.
   */
  public void update(long storeMillis, long beganNanos, long endedNanos) {
    Reading present = reading;
    if (storeMillis < present.millisAt(beganNanos) || storeMillis > present.millisAt(endedNanos)) {
      reading = new Reading(storeMillis, beganNanos + (endedNanos - beganNanos) / 2);
    }
  }

  @Override
  public long millis() {
    return reading.millisAt(nanos.getAsLong());
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }
}
