package dev.tollgate.server.jobs;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Schedule of a job's polls at its provider, as delays: short at first, and jittered, so that jobs
 * do not come in bursts.
 */
final class PollSchedule {
  private static final Duration POLL_MIN = Duration.ofMillis(250);
  private static final Duration POLL_MAX = Duration.ofSeconds(10);
  private static final int AGE_SHARE = 10;
  private static final Duration RETRY_MIN = Duration.ofMillis(500);
  private static final int DOUBLINGS_MAX = 6;
  private static final Duration CANCEL_MAX = Duration.ofSeconds(2);
  private static final Duration STORAGE_MIN = Duration.ofSeconds(1);
  private static final Duration STORAGE_MAX = Duration.ofMinutes(5);

  private PollSchedule() {}

  /** Returns the delay while the provider works: a tenth of the job's age. */
  static Duration whileInProgress(Duration age) {
    Duration share = age.dividedBy(AGE_SHARE);
    Duration floored = share.compareTo(POLL_MIN) < 0 ? POLL_MIN : share;
    return jittered(floored.compareTo(POLL_MAX) > 0 ? POLL_MAX : floored);
  }

  /** Returns the delay after an inconclusive poll: doubles each time, up to half a minute. */
  static Duration afterInconclusive(int attempts) {
    return jittered(RETRY_MIN.multipliedBy(1L << Math.clamp(attempts, 0, DOUBLINGS_MAX)));
  }

  /** Returns the delay while a client waits for a cancellation, which it does not do for long. */
  static Duration whileCanceling(int attempts) {
    Duration usual = afterInconclusive(attempts);
    return usual.compareTo(CANCEL_MAX) > 0 ? jittered(CANCEL_MAX) : usual;
  }

  /** Returns the delay after the storage refused a fetched file: up to five minutes. */
  static Duration untilStorageRetry(int times) {
    Duration doubled = STORAGE_MIN.multipliedBy(1L << Math.clamp(times, 0, 10));
    return jittered(doubled.compareTo(STORAGE_MAX) > 0 ? STORAGE_MAX : doubled);
  }

  private static Duration jittered(Duration pause) {
    long nanos = pause.toNanos();
    return Duration.ofNanos(
        nanos - nanos / 5 + ThreadLocalRandom.current().nextLong(nanos / 5 + 1));
  }
}
