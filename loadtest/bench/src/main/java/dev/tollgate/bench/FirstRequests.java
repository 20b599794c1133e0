package dev.tollgate.bench;

import dev.tollgate.bench.BenchPlan.Replies;
import dev.tollgate.bench.BenchPlan.Scenario;
import java.util.stream.Collectors;

/**
 * Sends the first requests of a benchmark run, one of each kind to each side, before the load. They
 * detect a wrong key early. The first stream is the script that all others are compared with.
 */
final class FirstRequests {
  private final BenchPlan plan;
  private final Driver driver;
  private final LoadRunner runner;

  FirstRequests(BenchPlan plan, Driver driver, LoadRunner runner) {
    this.plan = plan;
    this.driver = driver;
    this.runner = runner;
  }

  /** Sends the requests; returns the script of the streams if they are all the same. */
  Script run(BenchTargets targets) throws BenchFailedException {
    Script script = Script.NONE;
    for (BenchTarget each : targets.order(0)) {
      if (has(Scenario.PLAIN) || has(Scenario.FRONTIER)) {
        Tally tally = new Tally();
        require(each, each.plain(tally));
      }
      if (has(Scenario.STREAM) || has(Scenario.STREAMS)) {
        script = stream(each, script);
      }
    }
    return script;
  }

  private boolean has(Scenario scenario) {
    return plan.scenarios().contains(scenario);
  }

  private Script stream(BenchTarget target, Script known) throws BenchFailedException {
    if (plan.replies() == Replies.ANY || known instanceof KnownScript) {
      require(target, target.streamed(known, new Tally()));
      return known;
    }
    Recording recording = new Recording();
    require(target, target.streamed(recording, new Tally()));
    return recording.script();
  }

  private void require(BenchTarget target, RequestTemplate work) throws BenchFailedException {
    var once = new Arrivals(driver.nowNanos(), 1, 1);
    LoadSchedule load = new OpenRound(once, work.tally(), plan.times().timeout().toNanos());
    runner.run("first request", target.connections(), work, load, plan.times().timeout());
    if (work.tally().answeredCount() == 0 && runner.shouldContinue()) {
      throw new BenchFailedException(
          target.role().wire() + " does not answer correctly: " + reason(work.tally()));
    }
  }

  private static String reason(Tally tally) {
    String how =
        tally.failures().keySet().stream().map(Failure::wire).collect(Collectors.joining(", "));
    String problem = tally.firstProblem();
    return problem == null ? how : how + ", " + problem;
  }
}
