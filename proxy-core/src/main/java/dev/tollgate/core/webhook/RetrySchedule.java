package dev.tollgate.core.webhook;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Number of delivery attempts of a webhook event and the delays before them. Delays are spread by a
 * fifth, so that receivers that failed together are not called together. Immutable.
 *
 * @param delays one before each attempt, at least one
 */
public record RetrySchedule(List<Duration> delays) {
  private static final double JITTER = 0.2;

  /** Upper bound of a Retry-After: a later event is too old to be of use. */
  private static final Duration RETRY_AFTER_MAX = Duration.ofHours(1);

  public RetrySchedule {
    delays = List.copyOf(delays);
    if (delays.isEmpty()) {
      throw new IllegalArgumentException("a schedule without an attempt");
    }
  }

  /** Returns the delay of the first attempt, without jitter: events arrive one by one anyway. */
  public Duration firstDelay() {
    return delays.getFirst();
  }

  /**
   * Returns the delay after an attempt, or empty if it was the last.
   *
   * @param attempt its number, the first being 1
   * @param retryAfter the wait that the receiver asked for; zero if none
   */
  public Optional<Duration> delayAfter(int attempt, Duration retryAfter, RandomGenerator random) {
    if (attempt >= delays.size()) {
      return Optional.empty();
    }
    double factor = 1 - JITTER + 2 * JITTER * random.nextDouble();
    Duration delay = Duration.ofMillis(Math.round(delays.get(attempt).toMillis() * factor));
    Duration requested = retryAfter.compareTo(RETRY_AFTER_MAX) < 0 ? retryAfter : RETRY_AFTER_MAX;
    return Optional.of(delay.compareTo(requested) < 0 ? requested : delay);
  }
}
