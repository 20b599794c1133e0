package dev.tollgate.bench;

import dev.tollgate.bench.BenchPlan.Scenario;
import dev.tollgate.bench.BenchReport.Ceiling;
import dev.tollgate.bench.BenchReport.ScenarioResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Executes a complete benchmark run. Sends one request to each side, then measures one scenario
 * after the other, with alternating sides.
 */
public final class BenchRun {
  private BenchRun() {}

  /**
   * Runs the plan.
   *
   * @param version version of this program, for the report
   * @param isStopped true to end early with partial results
   * @param progress receives a status line several times a second
   */
  public static BenchReport measure(
      BenchPlan plan, String version, BooleanSupplier isStopped, Consumer<String> progress)
      throws BenchFailedException {
    Map<String, String> environment = Environment.read(version);
    try (Driver driver = new Driver()) {
      long beganNanos = driver.nowNanos();
      var runner = new LoadRunner(driver, plan.times().maxDuration(), isStopped, progress);
      BenchTargets targets = BenchTargets.of(plan, driver);
      Script script = new FirstRequests(plan, driver, runner).run(targets);
      List<ScenarioResult> scenarios = new ArrayList<>();
      Ceiling ceiling = null;
      for (Scenario scenario : Scenario.values()) {
        if (!plan.scenarios().contains(scenario) || !runner.shouldContinue()) {
          continue;
        }
        switch (scenario) {
          case PLAIN, STREAM, STREAMS ->
              scenarios.add(
                  new ScenarioRun(scenario, plan, targets, script, driver, runner).measure());
          case FRONTIER -> ceiling = new FrontierRun(plan, targets, driver, runner).search();
        }
      }
      environment.put("load_average_after", Environment.loadAverage());
      Duration took = Duration.ofNanos(driver.nowNanos() - beganNanos);
      return new BenchReport(environment, plan, scenarios, ceiling, runner.ended(), took);
    }
  }
}
