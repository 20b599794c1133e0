package dev.tollgate.core.storage;

import io.netty.util.concurrent.EventExecutor;

/**
 * Lets blob store calls fail fast for a short time after the store did not respond. Calls in the
 * meantime fail at once instead of waiting for a timeout of their own. Shared by all loops, which
 * have one ticker.
 */
public final class BlobStoreOutage {
  private static final long DURATION_NANOS = 5_000_000_000L;

  private volatile Since since = new Since.Never();

  private sealed interface Since {
    record Never() implements Since {}

    record At(long nanos) implements Since {}
  }

  /** True while the store is considered down. */
  public boolean isActive(EventExecutor loop) {
    return switch (since) {
      case Since.Never _ -> false;
      case Since.At(long nanos) -> loop.ticker().nanoTime() - nanos < DURATION_NANOS;
    };
  }

  /** Records the result of a call. */
  public void observe(StoreBlobResult stored, EventExecutor loop) {
    boolean isUnresponsive =
        stored instanceof StoreBlobResult.Unavailable failed
            && (failed.failure() == BlobFailure.TIMED_OUT
                || failed.failure() == BlobFailure.UNREACHABLE);
    since = isUnresponsive ? new Since.At(loop.ticker().nanoTime()) : new Since.Never();
  }

  /** Returns the failure for calls during an outage. */
  public StoreBlobResult asFailure() {
    return new StoreBlobResult.Unavailable(
        BlobFailure.UNREACHABLE, "the store did not answer recently");
  }
}
