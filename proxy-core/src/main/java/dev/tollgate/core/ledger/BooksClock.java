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
public final class BooksClock implements InstantSource {
  private final LongSupplier nanos;
  private volatile Reading reading;

  /** The books' time at a moment of the monotonic clock. */
  private record Reading(long bankMillis, long nanos) {
    long millisAt(long nowNanos) {
      return bankMillis + TimeUnit.NANOSECONDS.toMillis(nowNanos - nanos);
    }
  }

  /**
   * @param nanos a monotonic clock
   * @param bankMillis the books' time now
   */
  public BooksClock(LongSupplier nanos, long bankMillis) {
    this.nanos = nanos;
    this.reading = new Reading(bankMillis, nanos.getAsLong());
  }

  /**
   * The books said their time in a call. Where ours could have been the same at some moment of the
   * call, it stays: the clock does not jitter with the network.
   */
  public void heard(long bankMillis, long beganNanos, long endedNanos) {
    Reading present = reading;
    if (bankMillis < present.millisAt(beganNanos) || bankMillis > present.millisAt(endedNanos)) {
      reading = new Reading(bankMillis, beganNanos + (endedNanos - beganNanos) / 2);
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
