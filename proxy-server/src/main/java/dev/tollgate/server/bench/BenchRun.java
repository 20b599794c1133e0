package dev.tollgate.server.bench;

import dev.tollgate.server.bench.BenchPlan.Scenario;
import dev.tollgate.server.bench.BenchReport.Ceiling;
import dev.tollgate.server.bench.BenchReport.Measured;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A whole run: asks each side once, then measures scenario by scenario, the sides in turn. */
public final class BenchRun {
  private BenchRun() {}

  /**
   * Measures what the plan says.
   *
   * @param version of this program, for the report
   * @param isStopped whether to end with what was measured until then
   * @param progress is told what happens, several times a second
   */
  public static BenchReport measure(
      BenchPlan plan, String version, BooleanSupplier isStopped, Consumer<String> progress)
      throws BenchFailed {
    Map<String, String> environment = Environment.read(version);
    try (Driver driver = new Driver()) {
      long beganNanos = driver.nowNanos();
      var conductor = new Conductor(driver, plan.times().whole(), isStopped, progress);
      Contenders contenders = Contenders.of(plan, driver);
      Script script = new FirstRequests(plan, driver, conductor).ask(contenders);
      List<Measured> scenarios = new ArrayList<>();
      Ceiling ceiling = null;
      for (Scenario scenario : Scenario.values()) {
        if (!plan.scenarios().contains(scenario) || !conductor.goesOn()) {
          continue;
        }
        switch (scenario) {
          case PLAIN, STREAM, STREAMS ->
              scenarios.add(
                  new ScenarioRun(scenario, plan, contenders, script, driver, conductor).measure());
          case FRONTIER -> ceiling = new FrontierRun(plan, contenders, driver, conductor).search();
        }
      }
      environment.put("load_average_after", Environment.loadAverage());
      Duration took = Duration.ofNanos(driver.nowNanos() - beganNanos);
      return new BenchReport(environment, plan, scenarios, ceiling, conductor.ended(), took);
    }
  }
}
