package dev.tollgate.bench;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Outcome counts and latencies of the requests to one side in one scenario. Confined to the
 * driver's loop.
 */
public final class Tally {
  private static final long NANOS_MAX = Duration.ofHours(1).toNanos();

  /** Significant decimal digits of a recorded duration. */
  private static final int DIGITS = 3;

  private final Histogram latency = newHistogram();
  private final Histogram firstToken = newHistogram();
  private final Histogram eventDelay = newHistogram();
  private final Histogram late = newHistogram();
  private final Map<Failure, Long> failures = new EnumMap<>(Failure.class);
  private long asked;
  private long answered;
  private long events;
  private long framesLost;
  private long framesRepeated;
  private long framesChanged;
  private @Nullable String firstProblem;

  /** Counts a sent request and its delay after the intended start. */
  public void sent(long lateNanos) {
    asked++;
    record(late, lateNanos);
  }

  void firstToken(long sinceIntendedNanos) {
    record(firstToken, sinceIntendedNanos);
  }

  void event() {
    events++;
  }

  /** Records the delay of an event after the provider's schedule. */
  void eventDelay(long nanos) {
    record(eventDelay, nanos);
  }

  public void answered(long sinceIntendedNanos) {
    answered++;
    record(latency, sinceIntendedNanos);
  }

  /**
   * Counts a failed request. A timeout is recorded as a latency: without it the percentiles would
   * be too low.
   */
  void failed(Failure how, long sinceIntendedNanos) {
    failures.merge(how, 1L, Long::sum);
    switch (how) {
      case UNSENT, TIMEOUT -> record(latency, sinceIntendedNanos);
      case CONNECT, STATUS, BROKEN, MALFORMED, ERROR_EVENT, FRAMES -> {}
    }
  }

  /** Counts a request that was not sent. */
  void unsent(Failure why, long sinceIntendedNanos) {
    asked++;
    failed(why, sinceIntendedNanos);
  }

  void frames(int lost, int repeated, int changed) {
    framesLost += lost;
    framesRepeated += repeated;
    framesChanged += changed;
  }

  /** Keeps the first error text. */
  void problem(String what) {
    if (firstProblem == null) {
      firstProblem = what;
    }
  }

  public Histogram latency() {
    return latency;
  }

  Histogram firstToken() {
    return firstToken;
  }

  Histogram eventDelay() {
    return eventDelay;
  }

  public Histogram late() {
    return late;
  }

  public long askedCount() {
    return asked;
  }

  public long answeredCount() {
    return answered;
  }

  long events() {
    return events;
  }

  public Map<Failure, Long> failures() {
    return Collections.unmodifiableMap(failures);
  }

  long failedCount() {
    return failures.values().stream().mapToLong(Long::longValue).sum();
  }

  long framesLost() {
    return framesLost;
  }

  long framesRepeated() {
    return framesRepeated;
  }

  long framesChanged() {
    return framesChanged;
  }

  @Nullable String firstProblem() {
    return firstProblem;
  }

  private static Histogram newHistogram() {
    return new Histogram(1, NANOS_MAX, DIGITS);
  }

  /** Records a duration. One out of range is clamped, because the histogram rejects it. */
  private static void record(Histogram histogram, long nanos) {
    histogram.recordValue(Math.clamp(nanos, 0, NANOS_MAX));
  }
}
