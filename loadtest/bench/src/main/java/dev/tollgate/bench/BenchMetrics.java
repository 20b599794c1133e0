package dev.tollgate.bench;

import dev.tollgate.bench.BenchReport.Ceiling;
import dev.tollgate.bench.BenchReport.ScenarioResult;
import dev.tollgate.bench.BenchReport.Side;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of a benchmark report that assertions can name, with their units and values. Durations
 * are in nanoseconds and sizes in bytes.
 */
public final class BenchMetrics {
  private static final String TARGET = "target_";
  private static final String FIRST_TOKEN = "first_token_";
  private static final String EVENT_DELAY = "event_delay_";

  /** Units by name. */
  private static final Map<String, MetricUnit> KNOWN = known();

  private BenchMetrics() {}

  /** Returns the unit of every metric, in the order of the documentation. */
  public static Map<String, MetricUnit> all() {
    return KNOWN;
  }

  private static Map<String, MetricUnit> known() {
    Map<String, MetricUnit> known = new LinkedHashMap<>();
    for (String side : new String[] {"", TARGET}) {
      for (String what : new String[] {"", FIRST_TOKEN, EVENT_DELAY}) {
        for (String quantile : new String[] {"p50", "p90", "p99", "p99.9"}) {
          known.put(side + what + quantile, MetricUnit.TIME);
        }
      }
    }
    known.put("requests", MetricUnit.COUNT);
    known.put("errors", MetricUnit.COUNT);
    known.put("events", MetricUnit.COUNT);
    known.put("frames_lost", MetricUnit.COUNT);
    known.put("frames_repeated", MetricUnit.COUNT);
    known.put("frames_changed", MetricUnit.COUNT);
    known.put("streams_sustained", MetricUnit.COUNT);
    known.put("cpu_per_request", MetricUnit.TIME);
    known.put("cpu_per_event", MetricUnit.TIME);
    known.put("rss", MetricUnit.SIZE);
    known.put("driver_busy", MetricUnit.COUNT);
    known.put("driver_late_p99", MetricUnit.TIME);
    for (Duration threshold : Frontier.THRESHOLDS) {
      known.put(frontier(threshold), MetricUnit.COUNT);
    }
    return known;
  }

  private static String frontier(Duration threshold) {
    return "frontier_" + threshold.toMillis() + "ms";
  }

  /** Returns the values of a report by scenario and name. */
  static Map<String, Map<String, Double>> of(BenchReport report) {
    Map<String, Map<String, Double>> all = new LinkedHashMap<>();
    report.scenarios().forEach(each -> all.put(each.scenario().wire(), of(each)));
    Ceiling ceiling = report.frontier();
    if (ceiling != null) {
      Map<String, Double> rates = new LinkedHashMap<>();
      for (Duration threshold : Frontier.THRESHOLDS) {
        rates.put(frontier(threshold), ceiling.rates().getOrDefault(threshold, 0.0));
      }
      all.put(BenchPlan.Scenario.FRONTIER.wire(), rates);
    }
    return all;
  }

  private static Map<String, Double> of(ScenarioResult measured) {
    Map<String, Double> found = new LinkedHashMap<>();
    Side target = measured.target();
    put(found, "", measured.addedLatency(), target.latency(), measured.direct());
    put(found, FIRST_TOKEN, measured.addedFirstToken(), target.firstToken(), measured.direct());
    put(found, EVENT_DELAY, measured.addedEventDelay(), target.eventDelay(), measured.direct());
    found.put("requests", (double) target.answered());
    found.put("errors", (double) target.failed());
    found.put("driver_busy", measured.driverBusy());
    found.put("driver_late_p99", (double) Percentiles.of(target.late()).p99Nanos());
    if (target.events() > 0) {
      found.put("events", (double) target.events());
      found.put("frames_lost", (double) target.framesLost());
      found.put("frames_repeated", (double) target.framesRepeated());
      found.put("frames_changed", (double) target.framesChanged());
    }
    Integer sustained = measured.sustained();
    if (sustained != null) {
      found.put("streams_sustained", (double) sustained);
    }
    if (measured.process() instanceof ProcessCost.Result.Measured cost) {
      found.put("cpu_per_request", cost.cpuMicrosPerRequest() * 1e3);
      found.put("rss", (double) cost.residentBytesMax());
      if (cost.events() > 0) {
        found.put("cpu_per_event", cost.cpuMicrosPerEvent() * 1e3);
      }
    }
    return found;
  }

  /** Puts the added latency under the short name, or the whole latency without a direct side. */
  private static void put(
      Map<String, Double> found,
      String what,
      Optional<Percentiles> added,
      Histogram target,
      @Nullable Side direct) {
    if (target.getTotalCount() == 0) {
      return;
    }
    Percentiles whole = Percentiles.of(target);
    put(found, TARGET + what, whole);
    if (direct == null) {
      put(found, what, whole);
    } else {
      added.ifPresent(difference -> put(found, what, difference));
    }
  }

  private static void put(Map<String, Double> found, String prefix, Percentiles nanos) {
    found.put(prefix + "p50", (double) nanos.p50Nanos());
    found.put(prefix + "p90", (double) nanos.p90Nanos());
    found.put(prefix + "p99", (double) nanos.p99Nanos());
    found.put(prefix + "p99.9", (double) nanos.p999Nanos());
  }
}
