package dev.tollgate.core.ledger;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The time of the books as this node knows it: what they last said, carried on by the monotonic
 * clock. All nodes count a request in the same window, whatever their own wall clocks say. Read by
 * any thread, set by the ledger's.
 */
public final class LedgerClock implements InstantSource {
  private final LongSupplier nanos;
  private volatile Reading reading;

  /** The books' time at a moment of the monotonic clock. */
  private record Reading(long storeMillis, long nanos) {
    long millisAt(long nowNanos) {
      return storeMillis + TimeUnit.NANOSECONDS.toMillis(nowNanos - nanos);
    }
  }

  /**
   * @param nanos a monotonic clock
   * @param storeMillis the books' time now
   */
  public LedgerClock(LongSupplier nanos, long storeMillis) {
    this.nanos = nanos;
    this.reading = new Reading(storeMillis, nanos.getAsLong());
  }

  /**
   * The books said their time in a call. Where ours could have been the same at some moment of the
   * call, it stays: the clock does not jitter with the network.
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
