package dev.tollgate.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pass criterion of a benchmark run: a metric, a comparison and the value to compare with. Without
 * a scenario it must hold in every scenario that has the metric, and in at least one.
 */
public record Assertion(
    String text, @Nullable String scenario, String metric, Comparison comparison, double value) {

  /** Comparison of a measured metric with an assertion's value. */
  public enum Comparison {
    AT_MOST("<="),
    AT_LEAST(">="),
    BELOW("<"),
    ABOVE(">"),
    EQUAL("=");

    private final String sign;

    Comparison(String sign) {
      this.sign = sign;
    }

    String sign() {
      return sign;
    }

    boolean holds(double figure, double value) {
      return switch (this) {
        case AT_MOST -> figure <= value;
        case AT_LEAST -> figure >= value;
        case BELOW -> figure < value;
        case ABOVE -> figure > value;
        case EQUAL -> figure == value;
      };
    }
  }

  /** Result of checking one assertion, with the measured values. */
  public record Verdict(String text, boolean held, String found) {}

  /** Checks a report against a list of assertions. */
  public static List<Verdict> judge(List<Assertion> assertions, BenchReport report) {
    Map<String, Map<String, Double>> figures = BenchMetrics.of(report);
    return assertions.stream().map(each -> each.judge(figures)).toList();
  }

  Verdict judge(Map<String, Map<String, Double>> figures) {
    List<String> found = new ArrayList<>();
    boolean held = true;
    for (Map.Entry<String, Map<String, Double>> each : figures.entrySet()) {
      Double figure = each.getValue().get(metric);
      if (figure != null && (scenario == null || scenario.equals(each.getKey()))) {
        held &= comparison.holds(figure, value);
        found.add(each.getKey() + ": " + unit().show(figure));
      }
    }
    return found.isEmpty()
        ? new Verdict(text, false, "not measured")
        : new Verdict(text, held, String.join(", ", found));
  }

  private MetricUnit unit() {
    return BenchMetrics.all().getOrDefault(metric, MetricUnit.COUNT);
  }
}
