package dev.tollgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.bench.Frontier.Probe;
import java.time.Duration;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** Search for the highest rates, with systems simulated by formulas. */
class FrontierTest {
  /** Queue whose latency grows towards its capacity. */
  private static Probe queue(double rate, double capacity) {
    double nanos = rate < capacity ? 2e8 / (capacity - rate) : Double.POSITIVE_INFINITY;
    return new Probe(rate, (long) Math.min(nanos, 1e12), rate < capacity ? 0 : 5, 0.1);
  }

  private static Frontier searched(double capacity, double rateMax) {
    Frontier frontier = new Frontier(50, rateMax, 24);
    OptionalDouble rate = frontier.next();
    while (rate.isPresent()) {
      frontier.observe(queue(rate.getAsDouble(), capacity));
      rate = frontier.next();
    }
    return frontier;
  }

  private static double found(Frontier frontier, long millis) {
    return frontier.best(Duration.ofMillis(millis)).orElse(0);
  }

  @Test
  void eachThresholdIsFoundWithinATenth() {
    Frontier frontier = searched(3_000, 20_000);
    for (Duration threshold : Frontier.THRESHOLDS) {
      double exact = 3_000 - 2e8 / threshold.toNanos();
      assertThat(frontier.best(threshold).orElse(0)).isBetween(exact / 1.11, exact);
    }
    assertThat(frontier.probes().size()).isLessThan(16);
  }

  @Test
  void theBoundIsNeverExceededAndCanBeReached() {
    Frontier frontier = searched(1e6, 700);
    assertThat(frontier.probes()).allMatch(probe -> probe.rate() <= 700);
    assertThat(found(frontier, 1)).isEqualTo(700);
  }

  @Test
  void aSystemThatAlwaysFailsHasNoRate() {
    assertThat(found(searched(10, 20_000), 100)).isZero();
  }

  @Test
  void aRateWithErrorsHoldsNoThreshold() {
    assertThat(new Probe(100, 10, 1, 0).holds(Duration.ofMillis(100))).isFalse();
  }

  @Test
  void aLuckyHighRateDoesNotCountAboveOneThatMissed() {
    Frontier frontier = new Frontier(50, 1_000, 24);
    frontier.observe(new Probe(50, 500_000, 0, 0));
    frontier.observe(new Probe(100, 2_000_000, 0, 0));
    frontier.observe(new Probe(200, 500_000, 0, 0));
    assertThat(found(frontier, 1)).isEqualTo(50);
    assertThat(found(frontier, 5)).isEqualTo(200);
  }

  @Test
  void theProbesAreBounded() {
    Frontier frontier = new Frontier(50, 20_000, 3);
    for (int i = 0; i < 3; i++) {
      frontier.observe(queue(frontier.next().orElseThrow(), 3_000));
    }
    assertThat(frontier.next()).isEmpty();
  }
}
