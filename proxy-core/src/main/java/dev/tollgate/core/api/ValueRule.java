package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.Param;

/**
 * Validation rule of a request field's value. Violations are added to the request's {@link Issues}.
 */
public interface ValueRule {
  void check(JsonItems items, int i, Param param, Issues issues);

  /** Accepts any value, because the provider validates it. */
  ValueRule ANY = (items, i, param, issues) -> {};

  /** Returns this rule with null as an absent value. */
  default ValueRule orNull() {
    return (items, i, param, issues) -> {
      if (items.kind(i) != JsonKind.NULL) {
        check(items, i, param, issues);
      }
    };
  }

  static ValueRule string() {
    return kind(JsonKind.STRING, "must be a string");
  }

  static ValueRule strings() {
    return (items, i, param, issues) -> {
      if (items.kind(i) != JsonKind.ARRAY) {
        issues.add(param, "must be an array of strings");
        return;
      }
      JsonElements elements = items.array(i);
      if (issues.addIfCut(elements, param)) {
        return;
      }
      for (int k = 0; k < elements.size() && !issues.isFull(); k++) {
        string().check(elements, k, param.at(k), issues);
      }
    };
  }

  static ValueRule bool() {
    return (items, i, param, issues) -> {
      JsonKind kind = items.kind(i);
      if (kind != JsonKind.TRUE && kind != JsonKind.FALSE) {
        issues.add(param, "must be true or false");
      }
    };
  }

  static ValueRule number(double min, double max) {
    return (items, i, param, issues) -> {
      if (items.kind(i) != JsonKind.NUMBER) {
        issues.add(param, "must be a number");
      } else if (!(items.number(i) >= min && items.number(i) <= max)) {
        issues.add(param, within(plain(min), plain(max)));
      }
    };
  }

  static ValueRule integer(long min, long max) {
    return (items, i, param, issues) -> {
      long value = items.integer(i, Long.MIN_VALUE);
      if (items.kind(i) != JsonKind.NUMBER || value == Long.MIN_VALUE) {
        issues.add(param, "must be an integer");
      } else if (value < min || value > max) {
        issues.add(
            param,
            max == Long.MAX_VALUE
                ? "must be at least " + min
                : within(Long.toString(min), Long.toString(max)));
      }
    };
  }

  private static String within(String min, String max) {
    return min.equals(max) ? "must be " + min : "must be between " + min + " and " + max;
  }

  private static ValueRule kind(JsonKind kind, String message) {
    return (items, i, param, issues) -> {
      if (items.kind(i) != kind) {
        issues.add(param, message);
      }
    };
  }

  private static String plain(double bound) {
    return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
  }
}
