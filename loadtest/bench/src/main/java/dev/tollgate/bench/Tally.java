package dev.tollgate.bench;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What came of the requests to one side in one scenario. Confined to the driver's loop. */
public final class Tally {
  private final Histogram latency = new Histogram();
  private final Histogram firstToken = new Histogram();
  private final Histogram eventDelay = new Histogram();
  private final Histogram late = new Histogram();
  private final Map<Failure, Long> failures = new EnumMap<>(Failure.class);
  private long asked;
  private long answered;
  private long events;
  private long framesLost;
  private long framesRepeated;
  private long framesChanged;
  private @Nullable String firstProblem;

  /** A request was sent this long after it should have been. */
  public void sent(long lateNanos) {
    asked++;
    late.record(lateNanos);
  }

  void firstToken(long sinceIntendedNanos) {
    firstToken.record(sinceIntendedNanos);
  }

  void event() {
    events++;
  }

  /** An event came this long after the provider's own schedule. */
  void eventDelay(long nanos) {
    eventDelay.record(nanos);
  }

  public void answered(long sinceIntendedNanos) {
    answered++;
    latency.record(sinceIntendedNanos);
  }

  /**
   * A request ended without its answer. One that ran out of time counts with the time that it had:
   * left out it would make the rest look fast.
   */
  void failed(Failure how, long sinceIntendedNanos) {
    failures.merge(how, 1L, Long::sum);
    switch (how) {
      case UNSENT, TIMEOUT -> latency.record(sinceIntendedNanos);
      case CONNECT, STATUS, BROKEN, MALFORMED, ERROR_EVENT, FRAMES -> {}
    }
  }

  /** A request was not even sent. */
  void unsent(Failure why, long sinceIntendedNanos) {
    asked++;
    failed(why, sinceIntendedNanos);
  }

  void frames(int lost, int repeated, int changed) {
    framesLost += lost;
    framesRepeated += repeated;
    framesChanged += changed;
  }

  /** Keeps what was said first by whoever refused. */
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
}
