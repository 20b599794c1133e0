package dev.tollgate.core.exchange.attempt;

/**
 * Timing of an attempt that waits for the response head: the head's deadline, and earlier checks
 * whether the deployment responds to any request. Loop-confined.
 */
final class HeadWait {
  private static final int CHECKS_PER_NO_RESPONSE_TIMEOUT = 8;

  private final AttemptClock clock;
  private final AttemptTimeouts timeouts;
  private final long totalDeadlineNanos;
  private long deadlineNanos;

  HeadWait(AttemptClock clock, AttemptTimeouts timeouts, long totalDeadlineNanos) {
    this.clock = clock;
    this.timeouts = timeouts;
    this.totalDeadlineNanos = totalDeadlineNanos;
  }

  /** Starts when the request was sent; the first check follows after the no-response timeout. */
  void start() {
    deadlineNanos = clock.now() + timeouts.untilHead().toNanos();
    runUntilCheck(timeouts.noResponse().toNanos());
  }

  /** Waits for the next check. */
  void resume() {
    runUntilCheck(timeouts.noResponse().toNanos() / CHECKS_PER_NO_RESPONSE_TIMEOUT);
  }

  private void runUntilCheck(long nanos) {
    long nextCheck = timeouts.noResponse().isZero() ? deadlineNanos : clock.now() + nanos;
    clock.runUntil(Math.min(deadlineNanos, nextCheck));
  }

  /** True before the deadlines of the head and of the whole attempt. */
  boolean isRunning() {
    long now = clock.now();
    return now < deadlineNanos && now < totalDeadlineNanos;
  }

  /** True if the deadline of the head comes no later than that of the whole attempt. */
  boolean endsBeforeTotal() {
    return deadlineNanos <= totalDeadlineNanos;
  }
}
