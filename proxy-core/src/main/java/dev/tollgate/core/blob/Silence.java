package dev.tollgate.core.blob;

import io.netty.util.concurrent.EventExecutor;

/**
 * Remembers for a moment that a store did not answer: whoever comes meanwhile is told at once, and
 * does not wait as long as the one who found out. Shared by all loops, which have one ticker.
 */
public final class Silence {
  private static final long LASTS_NANOS = 5_000_000_000L;

  private volatile Since since = new Since.Never();

  private sealed interface Since {
    record Never() implements Since {}

    record At(long nanos) implements Since {}
  }

  /** Whether nobody need be asked now. */
  public boolean lasts(EventExecutor loop) {
    return switch (since) {
      case Since.Never _ -> false;
      case Since.At(long nanos) -> loop.ticker().nanoTime() - nanos < LASTS_NANOS;
    };
  }

  /** What came of asking. */
  public void heard(Stored stored, EventExecutor loop) {
    boolean isSilent =
        stored instanceof Stored.Unavailable no
            && (no.fault() == BlobFault.TIMED_OUT || no.fault() == BlobFault.UNREACHABLE);
    since = isSilent ? new Since.At(loop.ticker().nanoTime()) : new Since.Never();
  }

  /** What whoever comes meanwhile is told. */
  public Stored told() {
    return new Stored.Unavailable(BlobFault.UNREACHABLE, "it did not answer a moment ago");
  }
}
