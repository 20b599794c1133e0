package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.money.MicroUsd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Sorter of one model's candidates by strategy, latency, affinity and the request's preferences.
 */
final class Ranking {
  private static final double MEDIAN = 0.5;
  private static final Comparator<Candidate> BY_PRIORITY =
      Comparator.comparingInt(candidate -> candidate.route().priority());

  private final Fleet fleet;
  private final boolean stream;
  private final long nowNanos;
  private final RandomGenerator random;

  Ranking(Fleet fleet, boolean stream, long nowNanos, RandomGenerator random) {
    this.fleet = fleet;
    this.stream = stream;
    this.nowNanos = nowNanos;
    this.random = random;
  }

  /**
   * Returns the candidates in order of preference: by the strategy, slow ones last, then the one to
   * which the request is sticky first, then those that the request names.
   *
   * @param affinity hash that is equal in requests that should go to the same provider
   */
  List<Candidate> of(
      List<Candidate> candidates,
      Strategy strategy,
      RoutingPreferences preferences,
      OptionalLong affinity) {
    if (candidates.size() < 2) {
      return candidates;
    }
    List<Candidate> ranked = byStrategy(candidates, strategy);
    int fast = slowLast(ranked, preferences.latencyPreferred());
    if (affinity.isPresent()) {
      applyAffinity(
          ranked.subList(0, equals(ranked.subList(0, fast), strategy)), affinity.getAsLong());
    }
    if (!preferences.order().isEmpty()) {
      ranked.sort(Comparator.comparingInt(candidate -> orderIndex(candidate, preferences.order())));
    }
    return ranked;
  }

  private List<Candidate> byStrategy(List<Candidate> candidates, Strategy strategy) {
    List<Candidate> ranked = new ArrayList<>(candidates);
    ranked.sort(BY_PRIORITY);
    switch (strategy) {
      case PRIORITY -> {}
      case COST -> ranked.sort(Comparator.comparing(Ranking::cost));
      case LATENCY -> sort(ranked, this::latency);
      case THROUGHPUT -> sort(ranked, this::slowness);
      case WEIGHTED -> sort(ranked, this::weightedRandom);
      case ROUND_ROBIN ->
          Collections.rotate(
              ranked,
              -Math.floorMod(fleet.nextRoundRobin(ranked.getFirst().model()), ranked.size()));
      case LEAST_BUSY -> sort(ranked, this::inFlight);
    }
    return ranked;
  }

  /** Function that returns the figure by which candidates are sorted; lower is better. */
  private interface Measure {
    double of(Candidate candidate);
  }

  /**
   * Sorts by a figure that is read once per candidate: random or changing figures would break the
   * sort.
   */
  private static void sort(List<Candidate> candidates, Measure measure) {
    record Measured(Candidate candidate, double value) {}
    List<Measured> measured = new ArrayList<>(candidates.size());
    candidates.forEach(one -> measured.add(new Measured(one, measure.of(one))));
    measured.sort(Comparator.comparingDouble(Measured::value));
    for (int i = 0; i < measured.size(); i++) {
      candidates.set(i, measured.get(i).candidate());
    }
  }

  private static MicroUsd cost(Candidate candidate) {
    return candidate.operatorPrices().ofThousandRequests();
  }

  private double latency(Candidate candidate) {
    return knownOrExplore(candidate, knownLatency(candidate));
  }

  private OptionalDouble knownLatency(Candidate candidate) {
    return fleet.route(candidate.route()).latencyMillis(stream, MEDIAN, nowNanos);
  }

  private double slowness(Candidate candidate) {
    OptionalDouble perSecond = fleet.route(candidate.route()).throughput(MEDIAN, nowNanos);
    return knownOrExplore(
        candidate,
        perSecond.isPresent()
            ? OptionalDouble.of(1 / perSecond.getAsDouble())
            : OptionalDouble.empty());
  }

  /**
   * Returns the figure, or the best one if it is unknown and the provider is idle: an unknown
   * provider is tried first, but by one request at a time, since it may be slow.
   */
  private double knownOrExplore(Candidate candidate, OptionalDouble measure) {
    return measure.orElse(inFlight(candidate) == 0 ? 0 : Double.MAX_VALUE);
  }

  private double weightedRandom(Candidate candidate) {
    return -Math.log(1 - random.nextDouble()) / candidate.route().weight();
  }

  private double inFlight(Candidate candidate) {
    return fleet.provider(candidate.provider()).inFlight();
  }

  /**
   * Moves candidates that are known to be slower than preferred to the end; returns the number of
   * the others.
   */
  private int slowLast(List<Candidate> ranked, @Nullable Duration preferred) {
    if (preferred == null) {
      return ranked.size();
    }
    List<Candidate> slow =
        ranked.stream()
            .filter(candidate -> knownLatency(candidate).orElse(0) > preferred.toMillis())
            .toList();
    ranked.removeIf(candidate -> slow.stream().anyMatch(candidate::isSame));
    int fast = ranked.size();
    ranked.addAll(slow);
    return fast == 0 ? ranked.size() : fast;
  }

  /**
   * Returns how many of the first candidates the strategy holds equal, so that a request may be
   * sticky to any of them.
   */
  private static int equals(List<Candidate> ranked, Strategy strategy) {
    return switch (strategy) {
      case PRIORITY -> first(ranked, BY_PRIORITY);
      case COST -> first(ranked, BY_PRIORITY.thenComparing(Ranking::cost));
      case LATENCY, THROUGHPUT, WEIGHTED, ROUND_ROBIN, LEAST_BUSY -> ranked.size();
    };
  }

  /** Returns how many of the first candidates are like the first. */
  private static int first(List<Candidate> ranked, Comparator<Candidate> order) {
    int end = 1;
    while (end < ranked.size() && order.compare(ranked.get(end), ranked.getFirst()) == 0) {
      end++;
    }
    return end;
  }

  /**
   * Orders by rendezvous hashing: every node prefers the same candidate for the same affinity, each
   * in proportion to its weight, and a candidate that drops out moves only its own requests.
   */
  private static void applyAffinity(List<Candidate> equal, long affinity) {
    sort(
        equal, candidate -> -Math.log(hashScore(candidate, affinity)) / candidate.route().weight());
  }

  private static double hashScore(Candidate candidate, long affinity) {
    return StableHash.unit(
        affinity ^ StableHash.of(candidate.id().value() + " " + candidate.route().upstreamModel()));
  }

  private static int orderIndex(Candidate candidate, List<String> order) {
    int at = order.indexOf(candidate.id().value());
    return at < 0 ? order.size() : at;
  }
}
