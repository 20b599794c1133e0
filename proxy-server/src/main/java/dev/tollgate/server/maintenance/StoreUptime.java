package dev.tollgate.server.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Whether the books have answered without a break for so long that every node which lives was heard
 * of again. By a clock that goes on while the machine sleeps.
 */
final class StoreUptime {
  private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

  /** Between two answers; more is a break of our own. */
  private static final Duration GAP_MAX = Duration.ofSeconds(90);

  private final InstantSource clock;
  private @Nullable Instant since;
  private @Nullable Instant last;

  StoreUptime(InstantSource clock) {
    this.clock = clock;
  }

  /** To be asked with every answer. */
  boolean answeredLongEnough() {
    Instant now = clock.instant();
    Instant began = since;
    if (began == null || last == null || now.isBefore(last) || now.isAfter(last.plus(GAP_MAX))) {
      began = now;
    }
    since = began;
    last = now;
    return !now.isBefore(began.plus(LONG_ENOUGH));
  }

  /** There was no answer. */
  void interrupted() {
    since = null;
  }
}
