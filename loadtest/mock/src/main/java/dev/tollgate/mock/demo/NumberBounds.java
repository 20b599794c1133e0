package dev.tollgate.mock.demo;

import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;

/** Bounds that a JSON schema sets a number; 1 is the sample if nothing else is asked. */
final class NumberBounds {
  private static final double NONE = Double.POSITIVE_INFINITY;

  private final boolean integer;
  private final double step;
  private final double low;
  private final double lowExcluded;
  private final double high;
  private final double highExcluded;

  NumberBounds(JsonMembers schema, boolean integer) {
    this.integer = integer;
    this.step = bound(schema, "multipleOf", integer ? 1 : 0);
    this.low = bound(schema, "minimum", -NONE);
    this.lowExcluded = bound(schema, "exclusiveMinimum", -NONE);
    this.high = bound(schema, "maximum", NONE);
    this.highExcluded = bound(schema, "exclusiveMaximum", NONE);
  }

  /** Returns a number within the bounds, if there is one. */
  double sample() {
    return step > 0 ? multiple() : between();
  }

  private double multiple() {
    double unit = integer ? Math.max(1, Math.ceil(step)) : step;
    double least = Math.max(ceil(low, unit), floor(lowExcluded, unit) + unit);
    double most = Math.min(floor(high, unit), ceil(highExcluded, unit) - unit);
    return Double.isInfinite(least) ? Math.min(unit, most) : least;
  }

  private double between() {
    double from = Math.max(low, lowExcluded);
    double to = Math.min(high, highExcluded);
    if (Double.isInfinite(from)) {
      return Math.min(1, to - 1);
    }
    return Double.isInfinite(to) ? from + 1 : from + (to - from) / 2;
  }

  private static double ceil(double bound, double unit) {
    return Math.ceil(bound / unit) * unit;
  }

  private static double floor(double bound, double unit) {
    return Math.floor(bound / unit) * unit;
  }

  private static double bound(JsonMembers schema, String name, double otherwise) {
    int at = schema.indexOf(name);
    double number = at >= 0 && schema.kind(at) == JsonKind.NUMBER ? schema.number(at) : otherwise;
    return Double.isInfinite(number) ? otherwise : number;
  }
}
