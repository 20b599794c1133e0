package dev.tollgate.bench;

import dev.tollgate.bench.BenchPlan.Scenario;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** What a run has measured, and with what. */
public record BenchReport(
    Map<String, String> environment,
    BenchPlan plan,
    List<ScenarioResult> scenarios,
    @Nullable Ceiling frontier,
    Ended ended,
    Duration took) {

  /** How the run came to its end. */
  public enum Ended {
    COMPLETE("complete"),
    INTERRUPTED("interrupted"),
    HARD_STOP("hard_stop");

    private final String wire;

    Ended(String wire) {
      this.wire = wire;
    }

    public String wire() {
      return wire;
    }
  }

  /**
   * One scenario.
   *
   * @param rounds of each side that were whole
   * @param driverBusy which share of its processor the load took, at the busiest round
   * @param sustained streams that were open all the time, in the scenario of standing streams
   */
  record ScenarioResult(
      Scenario scenario,
      int rounds,
      Side target,
      @Nullable Side direct,
      ProcessCost.@Nullable Result process,
      double driverBusy,
      @Nullable Integer sustained) {

    Optional<Percentiles> addedLatency() {
      return direct == null ? Optional.empty() : added(target.latency, direct.latency);
    }

    Optional<Percentiles> addedFirstToken() {
      return direct == null ? Optional.empty() : added(target.firstToken, direct.firstToken);
    }

    Optional<Percentiles> addedEventDelay() {
      return direct == null ? Optional.empty() : added(target.eventDelay, direct.eventDelay);
    }

    private static Optional<Percentiles> added(Histogram target, Histogram direct) {
      return target.getTotalCount() == 0 || direct.getTotalCount() == 0
          ? Optional.empty()
          : Optional.of(Percentiles.of(target).minus(Percentiles.of(direct)));
    }
  }

  /** One side of it. What was asked and neither answered nor failed was cut off at the end. */
  record Side(
      long asked,
      long answered,
      Map<Failure, Long> failures,
      @Nullable String firstProblem,
      Histogram latency,
      Histogram firstToken,
      Histogram eventDelay,
      Histogram late,
      long events,
      long framesLost,
      long framesRepeated,
      long framesChanged) {

    static Side of(Tally tally) {
      return new Side(
          tally.askedCount(),
          tally.answeredCount(),
          Map.copyOf(tally.failures()),
          tally.firstProblem(),
          tally.latency(),
          tally.firstToken(),
          tally.eventDelay(),
          tally.late(),
          tally.events(),
          tally.framesLost(),
          tally.framesRepeated(),
          tally.framesChanged());
    }

    long failed() {
      return failures.values().stream().mapToLong(Long::longValue).sum();
    }

    long cutOff() {
      return asked - answered - failed();
    }
  }

  /**
   * The highest rates of plain requests.
   *
   * @param rates by threshold; one that is absent was missed at the lowest rate
   */
  record Ceiling(Map<Duration, Double> rates, List<Frontier.Probe> probes, double rateMax) {
    static Ceiling of(Frontier frontier, double rateMax) {
      Map<Duration, Double> rates = new LinkedHashMap<>();
      for (Duration threshold : Frontier.THRESHOLDS) {
        frontier.best(threshold).ifPresent(rate -> rates.put(threshold, rate));
      }
      return new Ceiling(rates, frontier.probes(), rateMax);
    }
  }

  /** Whether the gateway lost, repeated or changed frames: that is a failure whatever was asked. */
  public boolean hasWrongFrames() {
    return scenarios.stream()
        .anyMatch(each -> each.target().failures().containsKey(Failure.FRAMES));
  }

  /** Whether some scenario got no answer of the target at all. */
  public boolean hasUnansweredScenario() {
    return scenarios.stream().anyMatch(each -> each.target().answered() == 0);
  }
}
