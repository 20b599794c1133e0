package dev.tollgate.core.webhook;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * How often a delivery is tried, and how long after the try before. Waits are spread by a fifth, or
 * receivers that went away together would be asked together. Immutable.
 *
 * @param delays one before each attempt, at least one
 */
public record RetrySchedule(List<Duration> delays) {
  private static final double JITTER = 0.2;

  /** Whatever a receiver asks for: what it hears after that is old. */
  private static final Duration RETRY_AFTER_MAX = Duration.ofHours(1);

  public RetrySchedule {
    delays = List.copyOf(delays);
    if (delays.isEmpty()) {
      throw new IllegalArgumentException("a schedule without an attempt");
    }
  }

  /** Between the event and its first attempt; not spread, as events come one by one. */
  public Duration firstDelay() {
    return delays.getFirst();
  }

  /**
   * How long to wait behind the attempt of this number, the first being 1; empty: it was the last.
   *
   * @param retryAfter what the receiver asked for; zero if nothing
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
