package dev.tollgate.bench;

import dev.tollgate.bench.Assertion.Comparison;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parser of the assertions on a benchmark's metrics: {@code [scenario.]metric comparison
 * number[unit]}, joined by commas, with optional spaces between the parts. Errors name their
 * position.
 */
public final class AssertionParser {
  private final String text;
  private int at;

  private AssertionParser(String text) {
    this.text = text;
  }

  /**
   * Parses a list of assertions.
   *
   * @throws IllegalArgumentException with the position of the error, counted from 1
   */
  public static List<Assertion> parse(String text) {
    return new AssertionParser(text).all();
  }

  private List<Assertion> all() {
    List<Assertion> found = new ArrayList<>();
    found.add(one());
    while (at < text.length()) {
      if (text.charAt(at) != ',') {
        throw wrong(at, "expected a comma or the end");
      }
      at++;
      found.add(one());
    }
    return found;
  }

  private Assertion one() {
    skipSpace();
    int start = at;
    String name = name();
    Scope scope = scope(name, start);
    MetricUnit unit = BenchMetrics.all().get(scope.metric());
    if (unit == null) {
      int from = start + name.length() - scope.metric().length();
      throw wrong(from, "there is no metric '" + scope.metric() + "'");
    }
    skipSpace();
    Comparison comparison = comparison();
    skipSpace();
    double value = number() * factor(unit);
    String whole = text.substring(start, at).strip();
    skipSpace();
    return new Assertion(whole, scope.scenario(), scope.metric(), comparison, value);
  }

  private record Scope(@Nullable String scenario, String metric) {}

  /** Splits scenario and metric; a dot may also belong to {@code p99.9}. */
  private Scope scope(String name, int start) {
    int dot = name.indexOf('.');
    if (dot < 0 || BenchMetrics.all().containsKey(name)) {
      return new Scope(null, name);
    }
    String scenario = name.substring(0, dot);
    boolean isKnown =
        Arrays.stream(BenchPlan.Scenario.values()).anyMatch(s -> s.wire().equals(scenario));
    if (!isKnown) {
      throw wrong(start, "there is no scenario '" + scenario + "'");
    }
    return new Scope(scenario, name.substring(dot + 1));
  }

  private String name() {
    int start = at;
    while (at < text.length() && isOfName(text.charAt(at))) {
      at++;
    }
    if (at == start) {
      throw wrong(start, "expected the name of a metric");
    }
    return text.substring(start, at);
  }

  private static boolean isOfName(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  }

  private Comparison comparison() {
    for (Comparison comparison : Comparison.values()) {
      if (text.startsWith(comparison.sign(), at)) {
        at += comparison.sign().length();
        return comparison;
      }
    }
    throw wrong(at, "expected one of <= >= < > =");
  }

  private double number() {
    int start = at;
    digits();
    if (at > start && at < text.length() && text.charAt(at) == '.') {
      at++;
      int fraction = at;
      digits();
      if (at == fraction) {
        throw wrong(at, "expected a digit");
      }
    }
    if (at == start) {
      throw wrong(start, "expected a number");
    }
    return Double.parseDouble(text.substring(start, at));
  }

  private void digits() {
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
  }

  private double factor(MetricUnit unit) {
    int start = at;
    while (at < text.length() && Character.isLetter(text.charAt(at))) {
      at++;
    }
    String suffix = text.substring(start, at);
    Double factor = unit.factor(suffix);
    if (factor == null) {
      throw wrong(start, "expected " + unit.suffixes() + " after this number");
    }
    return factor;
  }

  private void skipSpace() {
    while (at < text.length() && text.charAt(at) == ' ') {
      at++;
    }
  }

  private IllegalArgumentException wrong(int position, String why) {
    return new IllegalArgumentException("'" + text + "', position " + (position + 1) + ": " + why);
  }
}
