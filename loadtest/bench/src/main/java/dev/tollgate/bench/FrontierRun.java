package dev.tollgate.bench;

import dev.tollgate.bench.BenchReport.Ceiling;
import java.time.Duration;
import java.util.OptionalDouble;

/** Measures the request rates that a {@link Frontier} search asks for, with alternating sides. */
final class FrontierRun {
  private static final double RATE_MIN = 50;
  private static final int PROBES_MAX = 24;
  private static final int ROUNDS = 2;
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final Duration START = Duration.ofMillis(1);

  private final BenchPlan plan;
  private final BenchTargets targets;
  private final Driver driver;
  private final LoadRunner runner;

  FrontierRun(BenchPlan plan, BenchTargets targets, Driver driver, LoadRunner runner) {
    this.plan = plan;
    this.targets = targets;
    this.driver = driver;
    this.runner = runner;
  }

  Ceiling search() {
    double rateMax = plan.bounds().ratePerSecondMax();
    Frontier frontier = new Frontier(Math.min(RATE_MIN, rateMax), rateMax, PROBES_MAX);
    OptionalDouble rate = frontier.next();
    while (rate.isPresent() && runner.shouldContinue()) {
      Frontier.Probe probe = probe(rate.getAsDouble());
      if (runner.shouldContinue()) { // a probe that was cut off is not valid
        frontier.observe(probe);
      }
      rate = frontier.next();
    }
    return Ceiling.of(frontier, rateMax);
  }

  private Frontier.Probe probe(double rate) {
    Tally target = new Tally();
    Tally direct = new Tally();
    double busy = 0;
    for (int round = 0; round < ROUNDS && runner.shouldContinue(); round++) {
      for (BenchTarget each : targets.order(round)) {
        Tally tally =
            switch (each.role()) {
              case TARGET -> target;
              case DIRECT -> direct;
            };
        busy = Math.max(busy, round(each, rate, tally));
      }
    }
    long directNanos = Percentiles.of(direct.latency()).p99Nanos();
    long p99Nanos = Percentiles.of(target.latency()).p99Nanos() - directNanos;
    return new Frontier.Probe(rate, p99Nanos, failed(target) + failed(direct), busy);
  }

  private double round(BenchTarget benchTarget, double rate, Tally tally) {
    var arrivals =
        Arrivals.of(driver.nowNanos() + START.toNanos(), rate, plan.times().round().toNanos());
    LoadSchedule load = new OpenRound(arrivals, tally, TIMEOUT.toNanos());
    String what = "frontier %s at %.0f/s".formatted(benchTarget.role().wire(), rate);
    return runner.run(what, benchTarget.connections(), benchTarget.plain(tally), load, TIMEOUT);
  }

  private static long failed(Tally tally) {
    return tally.askedCount() - tally.answeredCount();
  }
}
