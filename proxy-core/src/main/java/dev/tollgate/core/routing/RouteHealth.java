package dev.tollgate.core.routing;

import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Health of one deployment: its circuits, and statistics of latency and throughput from the
 * requests of the last minute. Streams and plain replies are measured apart: the latency of a
 * stream is the wait for its first content, that of a plain reply its whole duration. Shared by all
 * loops.
 */
public final class RouteHealth {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS = 1e9;

  /** Latest known usual latency, for times without samples. */
  private volatile OptionalDouble usualOfStreams = OptionalDouble.empty();

  private volatile OptionalDouble usualOfPlain = OptionalDouble.empty();

  private final Digest firstContentMillis = new Digest();
  private final Digest plainMillis = new Digest();
  private final Digest tokensPerSecond = new Digest();
  private final AtomicBoolean missing = new AtomicBoolean();
  private final DeploymentCircuits circuits;

  RouteHealth(DeploymentCircuits circuits) {
    this.circuits = circuits;
  }

  public DeploymentCircuits circuits() {
    return circuits;
  }

  void firstContent(long tookNanos, long nowNanos) {
    firstContentMillis.add(tookNanos / NANOS_PER_MILLI, nowNanos);
  }

  void plain(long tookNanos, long nowNanos) {
    plainMillis.add(tookNanos / NANOS_PER_MILLI, nowNanos);
  }

  /** Adds a reply of {@code tokens} tokens that was written within {@code tookNanos}. */
  void generated(long tokens, long tookNanos, long nowNanos) {
    if (tokens > 1 && tookNanos > 0) {
      tokensPerSecond.add(tokens * NANOS / tookNanos, nowNanos);
    }
  }

  /** Reports that the provider does not know the model. Returns true for the first report. */
  boolean missing() {
    return !missing.getAndSet(true);
  }

  void served() {
    if (missing.get()) {
      missing.set(false);
    }
  }

  /** True if the provider's latest reply was that it does not know the model. */
  public boolean isMissing() {
    return missing.get();
  }

  /**
   * Returns the latency in milliseconds of streams or plain replies, or that of the other kind if
   * only that is known.
   */
  public OptionalDouble latencyMillis(boolean stream, double share, long nowNanos) {
    Digest own = stream ? firstContentMillis : plainMillis;
    Digest other = stream ? plainMillis : firstContentMillis;
    OptionalDouble known = own.percentile(share, nowNanos);
    return known.isPresent() ? known : other.percentile(share, nowNanos);
  }

  /**
   * Returns the usual latency; without recent samples the latest value that this method returned: a
   * route after a long outage is judged by its earlier latency.
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

  /** Returns the tokens per second. */
  public OptionalDouble throughput(double share, long nowNanos) {
    return tokensPerSecond.percentile(share, nowNanos);
  }
}
