package dev.tollgate.server.redis;

import java.time.Duration;

/**
 * Failures in a row. Timeouts of calls that were sent within one timeout of each other are one
 * failure: they waited for the same stall.
 *
 * @param timedOutNanos when the last call was sent whose timeout counted
 */
record FailureRun(int refusals, int timeouts, long timedOutNanos) {
  /** Failures in a row after which Redis is not called. */
  static final int MAX = 3;

  static final FailureRun NONE = new FailureRun(0, 0, 0);

  /** Returns the run with the timeout of a call. */
  FailureRun withTimeout(long sentNanos, Duration timeout) {
    boolean isSameStall = timeouts > 0 && sentNanos - timedOutNanos < timeout.toNanos();
    return isSameStall ? this : new FailureRun(refusals, timeouts + 1, sentNanos);
  }

  /** Returns the run with a call that Redis answered with an error, at once. */
  FailureRun withRefusal() {
    return new FailureRun(refusals + 1, timeouts, timedOutNanos);
  }

  boolean isFull() {
    return refusals + timeouts >= MAX;
  }
}
