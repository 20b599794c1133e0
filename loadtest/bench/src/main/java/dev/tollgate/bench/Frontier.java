package dev.tollgate.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Search for the highest request rate at which the 99th percentile latency stays below each of
 * several thresholds. It doubles the rate until the last threshold is missed, then bisects, within
 * a limit of probes. The caller measures each rate.
 */
final class Frontier {
  static final List<Duration> THRESHOLDS =
      List.of(
          Duration.ofMillis(1),
          Duration.ofMillis(5),
          Duration.ofMillis(10),
          Duration.ofMillis(50),
          Duration.ofMillis(100));

  /** Ratio below which two rates count as equal. */
  private static final double CLOSE = 1.1;

  private final double rateMin;
  private final double rateMax;
  private final int probesMax;
  private final List<Probe> probes = new ArrayList<>();

  /**
   * Measured rate and the latency at that rate.
   *
   * @param p99Nanos of the added latency, or of the whole latency without a direct side
   * @param failed failed requests; a rate with any failure misses all thresholds
   */
  public record Probe(double rate, long p99Nanos, long failed, double driverBusy) {
    boolean holds(Duration threshold) {
      return failed == 0 && p99Nanos <= threshold.toNanos();
    }
  }

  Frontier(double rateMin, double rateMax, int probesMax) {
    this.rateMin = rateMin;
    this.rateMax = rateMax;
    this.probesMax = probesMax;
  }

  void observe(Probe probe) {
    probes.add(probe);
  }

  List<Probe> probes() {
    return List.copyOf(probes);
  }

  /** Returns the rate to measure next; empty when all is known or no probe is left. */
  OptionalDouble next() {
    if (probes.size() >= probesMax) {
      return OptionalDouble.empty();
    }
    if (probes.isEmpty()) {
      return OptionalDouble.of(rateMin);
    }
    double highest = probes.stream().mapToDouble(Probe::rate).max().orElse(rateMin);
    boolean climbs = best(THRESHOLDS.getLast()).orElse(0) == highest;
    if (climbs && highest < rateMax) {
      return OptionalDouble.of(Math.min(rateMax, 2 * highest));
    }
    return THRESHOLDS.stream()
        .map(this::between)
        .flatMap(Optional::stream)
        .mapToDouble(rate -> rate)
        .findFirst();
  }

  /** Returns the highest measured rate that held a threshold, below every rate that missed it. */
  OptionalDouble best(Duration threshold) {
    double missed = lowestMissed(threshold);
    return probes.stream()
        .filter(probe -> probe.holds(threshold) && probe.rate() < missed)
        .mapToDouble(Probe::rate)
        .max();
  }

  private double lowestMissed(Duration threshold) {
    return probes.stream()
        .filter(probe -> !probe.holds(threshold))
        .mapToDouble(Probe::rate)
        .min()
        .orElse(Double.POSITIVE_INFINITY);
  }

  /**
   * Returns a rate between the highest that held and the lowest that missed, unless they are close.
   */
  private Optional<Double> between(Duration threshold) {
    double missed = lowestMissed(threshold);
    OptionalDouble held = best(threshold);
    if (held.isEmpty() || Double.isInfinite(missed) || missed / held.getAsDouble() < CLOSE) {
      return Optional.empty();
    }
    return Optional.of((double) Math.round(Math.sqrt(held.getAsDouble() * missed)));
  }
}
