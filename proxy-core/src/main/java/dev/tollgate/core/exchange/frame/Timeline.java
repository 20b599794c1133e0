package dev.tollgate.core.exchange.frame;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * When things happened to one request, in nanoseconds since its admission. The log line, {@code
 * Server-Timing}, the metrics and the headers all come from here. Loop-confined.
 */
public final class Timeline {
  private final long admittedNanos;
  private final long uploadNanos;
  private final List<RequestRecord.PhaseEntry> phases = new ArrayList<>(6);
  private long fetchNanos;
  private long fetchSince = -1;
  private long upstreamNanos;
  private long upstreamSince = -1;
  private long firstTokenNanos = -1;
  private long overheadNanos = -1;

  /**
   * @param uploadNanos time in which the client sent the body: part of the whole, but nobody's
   *     overhead
   */
  public Timeline(long admittedNanos, long uploadNanos) {
    this.admittedNanos = admittedNanos;
    this.uploadNanos = uploadNanos;
  }

  public void entered(Phase phase, long nowNanos) {
    phases.add(new RequestRecord.PhaseEntry(phase.wire(), nowNanos - admittedNanos));
  }

  /** From here on the hosts of the client's images are to blame for the time. */
  public void fetchBegins(long nowNanos) {
    fetchSince = nowNanos;
  }

  /** The images are here, or are not waited for any more. */
  public void fetchEnds(long nowNanos) {
    if (fetchSince >= 0) {
      fetchNanos += nowNanos - fetchSince;
      fetchSince = -1;
    }
  }

  /** From here on the provider is to blame for the time. */
  public void upstreamBegins(long nowNanos) {
    upstreamEnds(nowNanos);
    upstreamSince = nowNanos;
  }

  /** The provider gave what we waited for, or failed. */
  public void upstreamEnds(long nowNanos) {
    if (upstreamSince >= 0) {
      upstreamNanos += nowNanos - upstreamSince;
      upstreamSince = -1;
    }
  }

  /** A provider's first usable event is here; the request's is that of the first provider. */
  public void firstToken(long nowNanos) {
    upstreamEnds(nowNanos);
    if (firstTokenNanos < 0) {
      firstTokenNanos = nowNanos - admittedNanos;
    }
  }

  /** The head of the reply is written: what the client waited for is over. */
  void answered(long nowNanos) {
    if (overheadNanos < 0) {
      overheadNanos = withoutUpstream(nowNanos);
    }
  }

  private long withoutUpstream(long nowNanos) {
    long fetching = fetchSince < 0 ? 0 : nowNanos - fetchSince;
    long othersNanos = uploadNanos + fetchNanos + fetching + upstream(nowNanos).toNanos();
    return Math.max(0, nowNanos - admittedNanos - othersNanos);
  }

  /** Time spent waiting for providers, up to now. */
  public Duration upstream(long nowNanos) {
    return Duration.ofNanos(upstreamNanos + (upstreamSince < 0 ? 0 : nowNanos - upstreamSince));
  }

  /** What this gateway added until it answered. */
  public Duration overhead(long nowNanos) {
    return Duration.ofNanos(overheadNanos < 0 ? withoutUpstream(nowNanos) : overheadNanos);
  }

  /** Returns the times for the record. */
  public RequestRecord.Timing timing(long nowNanos) {
    Duration firstToken = firstTokenNanos < 0 ? null : Duration.ofNanos(firstTokenNanos);
    return new RequestRecord.Timing(
        firstToken, upstream(nowNanos), overhead(nowNanos), List.copyOf(phases));
  }
}
