package dev.tollgate.server.bench;

import dev.tollgate.server.bench.BenchPlan.Scenario;
import dev.tollgate.server.bench.BenchReport.Measured;
import dev.tollgate.server.bench.BenchReport.Side;
import dev.tollgate.server.bench.Contender.Role;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One scenario: warm-up, then rounds of both sides in turn. */
final class ScenarioRun {
  private static final Path PROC = Path.of("/proc");
  private static final Duration START = Duration.ofMillis(1);
  private static final Duration RAMP_MAX = Duration.ofSeconds(2);

  private final Scenario scenario;
  private final BenchPlan plan;
  private final Contenders contenders;
  private final Script script;
  private final Driver driver;
  private final Conductor conductor;
  private final Map<Role, Tally> tallies = new EnumMap<>(Role.class);
  private final @Nullable ProcessCost cost;
  private double driverBusy;
  private int sustained;

  ScenarioRun(
      Scenario scenario,
      BenchPlan plan,
      Contenders contenders,
      Script script,
      Driver driver,
      Conductor conductor) {
    this.scenario = scenario;
    this.plan = plan;
    this.contenders = contenders;
    this.script = script;
    this.driver = driver;
    this.conductor = conductor;
    Long pid = plan.pid();
    this.cost = pid == null ? null : new ProcessCost(pid, new ProcessFiles(PROC, pid));
    for (Role role : Role.values()) {
      tallies.put(role, new Tally());
    }
  }

  Measured measure() {
    warmUp();
    driverBusy = 0;
    int rounds = rounds(plan.times().each());
    int done = 0;
    for (int round = 0; round < rounds && conductor.goesOn(); round++) {
      for (Contender each : contenders.order(round)) {
        String what = what(each) + ", round " + (round + 1) + " of " + rounds;
        round(each, what);
      }
      done += conductor.goesOn() ? 1 : 0;
    }
    Side target = side(Role.TARGET);
    return new Measured(
        scenario,
        done,
        target,
        contenders.direct() == null ? null : side(Role.DIRECT),
        cost == null ? null : cost.result(target.asked(), target.events()),
        driverBusy,
        scenario == Scenario.STREAMS ? sustained : null);
  }

  /** What the target's process uses is looked at before and behind its rounds only. */
  private void round(Contender contender, String what) {
    if (!conductor.goesOn()) {
      return;
    }
    Tally tally = tallies.computeIfAbsent(contender.role(), _ -> new Tally());
    switch (contender.role()) {
      case DIRECT -> load(contender, what, script, tally, plan.times().each());
      case TARGET -> {
        if (cost != null) {
          cost.begin();
        }
        load(contender, what, script, tally, plan.times().each());
        if (cost != null) {
          cost.end();
        }
      }
    }
  }

  /** The reference's streams teach the schedule; nothing of it is counted. */
  private void warmUp() {
    Duration each = plan.times().warmUp().dividedBy(contenders.direct() == null ? 1 : 2);
    if (each.isZero()) {
      return;
    }
    for (int round = 0; round < rounds(each) && conductor.goesOn(); round++) {
      for (Contender contender : contenders.order(round)) {
        Script taught =
            script instanceof KnownScript known && contender == contenders.reference()
                ? known.learning()
                : script;
        load(contender, what(contender) + ", warm-up", taught, new Tally(), each);
      }
    }
  }

  private String what(Contender contender) {
    return scenario.wire() + " " + contender.role().wire();
  }

  /** Standing streams are opened once for each side: to open them takes longer than a round. */
  private int rounds(Duration each) {
    return scenario == Scenario.STREAMS
        ? 1
        : (int) Math.max(1, each.toNanos() / plan.times().round().toNanos());
  }

  private void load(Contender contender, String what, Script read, Tally tally, Duration each) {
    long startNanos = driver.nowNanos() + START.toNanos();
    Duration timeout = plan.times().timeout();
    double busy =
        switch (scenario) {
          case PLAIN, FRONTIER -> {
            var load = open(startNanos, plan.rates().plain(), tally);
            yield run(contender, what, contender.plain(tally), load, timeout);
          }
          case STREAM -> {
            var load = open(startNanos, plan.rates().stream(), tally);
            yield run(contender, what, contender.streamed(read, tally), load, timeout);
          }
          case STREAMS -> {
            var load = standing(startNanos, each, tally);
            double share = run(contender, what, contender.streamed(read, tally), load, timeout);
            sustained = contender.role() == Role.TARGET ? load.sustained() : sustained;
            yield share;
          }
        };
    driverBusy = Math.max(driverBusy, busy);
  }

  private OpenRound open(long startNanos, double perSecond, Tally tally) {
    var arrivals = Arrivals.of(startNanos, perSecond, plan.times().round().toNanos());
    return new OpenRound(arrivals, tally, plan.times().timeout().toNanos());
  }

  private StandingStreams standing(long startNanos, Duration each, Tally tally) {
    return new StandingStreams(
        plan.rates().standing(),
        startNanos,
        Math.min(RAMP_MAX.toNanos(), each.toNanos()),
        each.toNanos(),
        plan.times().timeout().toNanos(),
        tally);
  }

  private double run(Contender contender, String what, Work work, Load load, Duration timeout) {
    return conductor.conduct(what, contender.connections(), work, load, timeout);
  }

  private Side side(Role role) {
    return Side.of(tallies.computeIfAbsent(role, _ -> new Tally()));
  }
}
