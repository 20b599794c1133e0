package dev.tollgate.server.explorer;

import java.time.Duration;
import java.time.Instant;

/** Slots of the tables {@code usage_slot} and {@code usage_hour}. */
final class UsageSums {
  static final Duration SLOT = Duration.ofMinutes(5);
  static final Duration HOUR = Duration.ofHours(1);

  private UsageSums() {}

  /** Returns the begin of the slot of this length that a time lies in. */
  static Instant begin(Instant at, Duration length) {
    long millis = length.toMillis();
    return Instant.ofEpochMilli(Math.floorDiv(at.toEpochMilli(), millis) * millis);
  }
}
