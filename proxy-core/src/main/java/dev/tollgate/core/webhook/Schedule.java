package dev.tollgate.core.webhook;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * How often a delivery is tried, and how long after the try before. Waits are spread by a fifth, or
 * receivers that went away together would be asked together. Immutable.
 *
 * @param waits one before each attempt, at least one
 */
public record Schedule(List<Duration> waits) {
  private static final double SPREAD = 0.2;

  /** Whatever a receiver asks for: what it hears after that is old. */
  private static final Duration ASKED_MAX = Duration.ofHours(1);

  public Schedule {
    waits = List.copyOf(waits);
    if (waits.isEmpty()) {
      throw new IllegalArgumentException("a schedule without an attempt");
    }
  }

  /** Between the event and its first attempt; not spread, as events come one by one. */
  public Duration first() {
    return waits.getFirst();
  }

  /**
   * How long to wait behind the attempt of this number, the first being 1; empty: it was the last.
   *
   * @param asked what the receiver asked for; zero if nothing
   */
  public Optional<Duration> after(int attempt, Duration asked, RandomGenerator random) {
    if (attempt >= waits.size()) {
      return Optional.empty();
    }
    double factor = 1 - SPREAD + 2 * SPREAD * random.nextDouble();
    Duration wait = Duration.ofMillis(Math.round(waits.get(attempt).toMillis() * factor));
    Duration heeded = asked.compareTo(ASKED_MAX) < 0 ? asked : ASKED_MAX;
    return Optional.of(wait.compareTo(heeded) < 0 ? heeded : wait);
  }
}
