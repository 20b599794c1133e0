package dev.tollgate.core.blob;

import java.time.Duration;

/** How long storing may take: as long as is usual, or what a slow line needs for so many bytes. */
public final class StoringTime {
  /** A line that is slower counts as broken. */
  private static final long BYTES_PER_SECOND_MIN = 1 << 20;

  private StoringTime() {}

  public static Duration of(Duration usual, long bytes) {
    Duration slow = Duration.ofMillis(1_000 * bytes / BYTES_PER_SECOND_MIN);
    return slow.compareTo(usual) > 0 ? slow : usual;
  }
}
