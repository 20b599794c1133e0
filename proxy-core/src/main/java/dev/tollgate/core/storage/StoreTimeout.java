package dev.tollgate.core.storage;

import java.time.Duration;

/**
 * Computes the timeout of storing a blob: the usual one, or a longer one for a large blob on a slow
 * link.
 */
public final class StoreTimeout {
  /** A slower link counts as broken. */
  private static final long BYTES_PER_SECOND_MIN = 1 << 20;

  private StoreTimeout() {}

  public static Duration of(Duration base, long bytes) {
    Duration needed = Duration.ofMillis(1_000 * bytes / BYTES_PER_SECOND_MIN);
    return needed.compareTo(base) > 0 ? needed : base;
  }
}
