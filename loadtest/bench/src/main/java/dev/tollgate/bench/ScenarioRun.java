package dev.tollgate.bench;

import dev.tollgate.bench.BenchPlan.Scenario;
import dev.tollgate.bench.BenchReport.ScenarioResult;
import dev.tollgate.bench.BenchReport.Side;
import dev.tollgate.bench.BenchTarget.Role;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Measures one benchmark scenario: a warm-up, then alternating rounds of both sides. */
final class ScenarioRun {
  private static final Path PROC = Path.of("/proc");
  private static final Duration START = Duration.ofMillis(1);
  private static final Duration RAMP_MAX = Duration.ofSeconds(2);

  private final Scenario scenario;
  private final BenchPlan plan;
  private final BenchTargets targets;
  private final Script script;
  private final Driver driver;
  private final LoadRunner runner;
  private final Map<Role, Tally> tallies = new EnumMap<>(Role.class);
  private final @Nullable ProcessCost cost;
  private double driverBusy;
  private int sustained;

  ScenarioRun(
      Scenario scenario,
      BenchPlan plan,
      BenchTargets targets,
      Script script,
      Driver driver,
      LoadRunner runner) {
    this.scenario = scenario;
    this.plan = plan;
    this.targets = targets;
    this.script = script;
    this.driver = driver;
    this.runner = runner;
    Long pid = plan.pid();
    this.cost = pid == null ? null : new ProcessCost(pid, new ProcessFiles(PROC, pid));
    for (Role role : Role.values()) {
      tallies.put(role, new Tally());
    }
  }

  ScenarioResult measure() {
    warmUp();
    driverBusy = 0;
    int rounds = rounds(plan.times().each());
    int done = 0;
    for (int round = 0; round < rounds && runner.shouldContinue(); round++) {
      for (BenchTarget each : targets.order(round)) {
        String what = what(each) + ", round " + (round + 1) + " of " + rounds;
        round(each, what);
      }
      done += runner.shouldContinue() ? 1 : 0;
    }
    Side target = side(Role.TARGET);
    return new ScenarioResult(
        scenario,
        done,
        target,
        targets.direct() == null ? null : side(Role.DIRECT),
        cost == null ? null : cost.result(target.asked(), target.events()),
        driverBusy,
        scenario == Scenario.STREAMS ? sustained : null);
  }

  /** Runs a round. The cost of the target's process is read before and after its rounds only. */
  private void round(BenchTarget benchTarget, String what) {
    if (!runner.shouldContinue()) {
      return;
    }
    Tally tally = tallies.computeIfAbsent(benchTarget.role(), _ -> new Tally());
    switch (benchTarget.role()) {
      case DIRECT -> load(benchTarget, what, script, tally, plan.times().each());
      case TARGET -> {
        if (cost != null) {
          cost.begin();
        }
        load(benchTarget, what, script, tally, plan.times().each());
        if (cost != null) {
          cost.end();
        }
      }
    }
  }

  /** Runs uncounted rounds, in which the reference's streams define the schedule. */
  private void warmUp() {
    Duration each = plan.times().warmUp().dividedBy(targets.direct() == null ? 1 : 2);
    if (each.isZero()) {
      return;
    }
    for (int round = 0; round < rounds(each) && runner.shouldContinue(); round++) {
      for (BenchTarget benchTarget : targets.order(round)) {
        Script learned =
            script instanceof KnownScript known && benchTarget == targets.reference()
                ? known.learning()
                : script;
        load(benchTarget, what(benchTarget) + ", warm-up", learned, new Tally(), each);
      }
    }
  }

  private String what(BenchTarget benchTarget) {
    return scenario.wire() + " " + benchTarget.role().wire();
  }

  /**
   * Returns the number of rounds. Sustained streams have one: opening them takes longer than a
   * round.
   */
  private int rounds(Duration each) {
    return scenario == Scenario.STREAMS
        ? 1
        : (int) Math.max(1, each.toNanos() / plan.times().round().toNanos());
  }

  private void load(BenchTarget benchTarget, String what, Script read, Tally tally, Duration each) {
    long startNanos = driver.nowNanos() + START.toNanos();
    Duration timeout = plan.times().timeout();
    double busy =
        switch (scenario) {
          case PLAIN, FRONTIER -> {
            var load = open(startNanos, plan.rates().plain(), tally);
            yield run(benchTarget, what, benchTarget.plain(tally), load, timeout);
          }
          case STREAM -> {
            var load = open(startNanos, plan.rates().stream(), tally);
            yield run(benchTarget, what, benchTarget.streamed(read, tally), load, timeout);
          }
          case STREAMS -> {
            var load = sustainedStreams(startNanos, each, tally);
            double share = run(benchTarget, what, benchTarget.streamed(read, tally), load, timeout);
            sustained = benchTarget.role() == Role.TARGET ? load.sustained() : sustained;
            yield share;
          }
        };
    driverBusy = Math.max(driverBusy, busy);
  }

  private OpenRound open(long startNanos, double perSecond, Tally tally) {
    var arrivals = Arrivals.of(startNanos, perSecond, plan.times().round().toNanos());
    return new OpenRound(arrivals, tally, plan.times().timeout().toNanos());
  }

  private SustainedStreams sustainedStreams(long startNanos, Duration each, Tally tally) {
    return new SustainedStreams(
        plan.rates().openStreams(),
        startNanos,
        Math.min(RAMP_MAX.toNanos(), each.toNanos()),
        each.toNanos(),
        plan.times().timeout().toNanos(),
        tally);
  }

  private double run(
      BenchTarget benchTarget,
      String what,
      RequestTemplate work,
      LoadSchedule load,
      Duration timeout) {
    return runner.run(what, benchTarget.connections(), work, load, timeout);
  }

  private Side side(Role role) {
    return Side.of(tallies.computeIfAbsent(role, _ -> new Tally()));
  }
}
