package dev.tollgate.core.storage;

import java.time.Duration;

/** How long storing may take: as long as is usual, or what a slow line needs for so many bytes. */
public final class StoreTimeout {
  /** A line that is slower counts as broken. */
  private static final long BYTES_PER_SECOND_MIN = 1 << 20;

  private StoreTimeout() {}

  public static Duration of(Duration base, long bytes) {
    Duration needed = Duration.ofMillis(1_000 * bytes / BYTES_PER_SECOND_MIN);
    return needed.compareTo(base) > 0 ? needed : base;
  }
}
