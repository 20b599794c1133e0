package dev.tollgate.core.storage;

import io.netty.util.concurrent.EventExecutor;

/**
 * Remembers for a moment that a store did not answer: whoever comes meanwhile is told at once, and
 * does not wait as long as the one who found out. Shared by all loops, which have one ticker.
 */
public final class BlobStoreOutage {
  private static final long DURATION_NANOS = 5_000_000_000L;

  private volatile Since since = new Since.Never();

  private sealed interface Since {
    record Never() implements Since {}

    record At(long nanos) implements Since {}
  }

  /** Whether nobody need be asked now. */
  public boolean isActive(EventExecutor loop) {
    return switch (since) {
      case Since.Never _ -> false;
      case Since.At(long nanos) -> loop.ticker().nanoTime() - nanos < DURATION_NANOS;
    };
  }

  /** What came of asking. */
  public void observe(StoreBlobResult stored, EventExecutor loop) {
    boolean isUnresponsive =
        stored instanceof StoreBlobResult.Unavailable failed
            && (failed.failure() == BlobFailure.TIMED_OUT
                || failed.failure() == BlobFailure.UNREACHABLE);
    since = isUnresponsive ? new Since.At(loop.ticker().nanoTime()) : new Since.Never();
  }

  /** What whoever comes meanwhile is told. */
  public StoreBlobResult asFailure() {
    return new StoreBlobResult.Unavailable(
        BlobFailure.UNREACHABLE, "it did not answer a moment ago");
  }
}
