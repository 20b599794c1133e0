package dev.tollgate.bench;

import dev.tollgate.bench.BenchPlan.Scenario;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Results of a benchmark run, and the environment in which it ran. */
public record BenchReport(
    Map<String, String> environment,
    BenchPlan plan,
    List<ScenarioResult> scenarios,
    @Nullable Ceiling frontier,
    Ended ended,
    Duration took) {

  /** Reason why a benchmark run ended. */
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
   * Result of one scenario, with both sides.
   *
   * @param rounds complete rounds of each side
   * @param driverBusy share of a processor used by the driver, in the busiest round
   * @param sustained streams that were open all the time, in the scenario {@code streams}
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

  /**
   * Result of one side, the gateway or the provider itself, in one scenario. Requests neither
   * answered nor failed were cut off at the end.
   */
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
   * Highest rates of plain requests at which the latency stayed below each threshold.
   *
   * @param rates by threshold; an absent one was missed at the lowest rate
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

  /** True if the gateway lost, repeated or changed frames. A run with wrong frames always fails. */
  public boolean hasWrongFrames() {
    return scenarios.stream()
        .anyMatch(each -> each.target().failures().containsKey(Failure.FRAMES));
  }

  /** True if the target answered no request of a scenario. */
  public boolean hasUnansweredScenario() {
    return scenarios.stream().anyMatch(each -> each.target().answered() == 0);
  }
}
