package dev.tollgate.core.routing;

import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How one provider serves one model, by the requests of the last minute. Streams and plain replies
 * are kept apart: the latency of a stream is the wait for its first content, that of a plain reply
 * the whole of it. Shared by all loops.
 */
public final class RouteHealth {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS = 1e9;

  /** What was usual when that was last known. */
  private volatile OptionalDouble usualOfStreams = OptionalDouble.empty();

  private volatile OptionalDouble usualOfPlain = OptionalDouble.empty();

  private final Digest firstContentMillis = new Digest();
  private final Digest plainMillis = new Digest();
  private final Digest tokensPerSecond = new Digest();
  private final AtomicBoolean missing = new AtomicBoolean();

  void firstContent(long tookNanos, long nowNanos) {
    firstContentMillis.add(tookNanos / NANOS_PER_MILLI, nowNanos);
  }

  void plain(long tookNanos, long nowNanos) {
    plainMillis.add(tookNanos / NANOS_PER_MILLI, nowNanos);
  }

  /** A reply of so many tokens was written in this time. */
  void generated(long tokens, long tookNanos, long nowNanos) {
    if (tokens > 1 && tookNanos > 0) {
      tokensPerSecond.add(tokens * NANOS / tookNanos, nowNanos);
    }
  }

  /** The provider does not know the model. Says whether that is news. */
  boolean missing() {
    return !missing.getAndSet(true);
  }

  void served() {
    if (missing.get()) {
      missing.set(false);
    }
  }

  /** Whether the provider said last that it does not know the model. */
  public boolean isMissing() {
    return missing.get();
  }

  /** Milliseconds that a client of this kind waits, or of the other kind where that is all. */
  public OptionalDouble latencyMillis(boolean stream, double share, long nowNanos) {
    Digest own = stream ? firstContentMillis : plainMillis;
    Digest other = stream ? plainMillis : firstContentMillis;
    OptionalDouble known = own.percentile(share, nowNanos);
    return known.isPresent() ? known : other.percentile(share, nowNanos);
  }

  /**
   * Most of them; where nothing was measured of late, what it was when this was last asked: a route
   * that has been out for long is judged by what was usual before.
   */
  OptionalDouble usualMillis(boolean stream, double share, long nowNanos) {
    OptionalDouble known = latencyMillis(stream, share, nowNanos);
    if (known.isEmpty()) {
      return stream ? usualOfStreams : usualOfPlain;
    }
    if (stream) {
      usualOfStreams = known;
    } else {
      usualOfPlain = known;
    }
    return known;
  }

  /** Tokens per second. */
  public OptionalDouble throughput(double share, long nowNanos) {
    return tokensPerSecond.percentile(share, nowNanos);
  }
}
