package dev.tollgate.core.exchange.frame;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Recorder of one request's times, in nanoseconds since its admission, for the log line, {@code
 * Server-Timing} and the metrics. Loop-confined.
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
   * @param uploadNanos time in which the client sent the body: part of the total, but not of the
   *     overhead
   */
  public Timeline(long admittedNanos, long uploadNanos) {
    this.admittedNanos = admittedNanos;
    this.uploadNanos = uploadNanos;
  }

  public void entered(Phase phase, long nowNanos) {
    phases.add(new RequestRecord.PhaseEntry(phase.wire(), sinceAdmission(nowNanos)));
  }

  /** Returns the nanoseconds from admission to a time on the loop's ticker. */
  public long sinceAdmission(long nanos) {
    return nanos - admittedNanos;
  }

  /** Starts the time that is spent on fetching the client's images. */
  public void fetchBegins(long nowNanos) {
    fetchSince = nowNanos;
  }

  /** Ends the time that is spent on fetching images. */
  public void fetchEnds(long nowNanos) {
    if (fetchSince >= 0) {
      fetchNanos += nowNanos - fetchSince;
      fetchSince = -1;
    }
  }

  /** Starts the time that is spent waiting for a provider. */
  public void upstreamBegins(long nowNanos) {
    upstreamEnds(nowNanos);
    upstreamSince = nowNanos;
  }

  /** Ends the time that is spent waiting for a provider. */
  public void upstreamEnds(long nowNanos) {
    if (upstreamSince >= 0) {
      upstreamNanos += nowNanos - upstreamSince;
      upstreamSince = -1;
    }
  }

  /** Notes the first usable event of an attempt; the request's is that of its first attempt. */
  public void firstToken(long nowNanos) {
    upstreamEnds(nowNanos);
    if (firstTokenNanos < 0) {
      firstTokenNanos = sinceAdmission(nowNanos);
    }
  }

  /** Notes that the head of the reply is written, which ends the overhead. */
  void answered(long nowNanos) {
    if (overheadNanos < 0) {
      overheadNanos = withoutUpstream(nowNanos);
    }
  }

  private long withoutUpstream(long nowNanos) {
    long fetching = fetchSince < 0 ? 0 : nowNanos - fetchSince;
    long othersNanos = uploadNanos + fetchNanos + fetching + upstream(nowNanos).toNanos();
    return Math.max(0, sinceAdmission(nowNanos) - othersNanos);
  }

  /** Returns the time spent waiting for providers, up to now. */
  public Duration upstream(long nowNanos) {
    return Duration.ofNanos(upstreamNanos + (upstreamSince < 0 ? 0 : nowNanos - upstreamSince));
  }

  /** Returns the time that the gateway added until it answered. */
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
