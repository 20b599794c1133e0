package dev.tollgate.core.limit;

import java.util.Locale;

/**
 * Definition of one rate limit's token bucket (docs/decisions/limits.md#buckets), which holds
 * {@code capacity}, starts full and refills evenly by its capacity within one period.
 *
 * @param id the id of the key, organization or model; {@code *} for the whole service
 * @param capacity at least 1, at most {@link #CAPACITY_MAX}
 */
public record Bucket(LimitScope scope, String id, Unit unit, long capacity) {
  /** Capacity times period in microseconds stays below 2^53: every level is an exact number. */
  public static final long CAPACITY_MAX = 100_000_000;

  public Bucket {
    if (capacity < 1 || capacity > CAPACITY_MAX) {
      throw new IllegalArgumentException("invalid bucket capacity: " + capacity);
    }
  }

  /** Kind of owner that a limit applies to. */
  public enum LimitScope {
    KEY,
    ORGANIZATION,
    MODEL,
    GLOBAL;

    private final String wire = name().toLowerCase(Locale.ROOT);

    /** The name in details, metrics and logs. */
    public String wire() {
      return wire;
    }
  }

  /** Counted unit, per period. */
  public enum Unit {
    REQUESTS_PER_SECOND(1_000_000),
    REQUESTS_PER_MINUTE(60_000_000),
    TOKENS_PER_MINUTE(60_000_000);

    private final String wire = name().toLowerCase(Locale.ROOT);
    private final String text = wire.replace('_', ' ');
    private final long periodMicros;

    Unit(long periodMicros) {
      this.periodMicros = periodMicros;
    }

    /** The name in details, metrics and logs. */
    public String wire() {
      return wire;
    }

    /** Returns the name in sentences. */
    String text() {
      return text;
    }

    /** Returns the time in which an empty bucket fills. */
    public long periodMicros() {
      return periodMicros;
    }
  }
}
