package dev.tollgate.core.dialect.gemini;

import static java.util.Comparator.comparingDouble;

import java.util.List;

/**
 * Selects the nearest supported aspect ratio for an image size, for providers that take a ratio
 * instead of a size.
 */
public final class AspectRatio {
  private AspectRatio() {}

  /**
   * Returns the nearest of the ratios that a provider has.
   *
   * @param size such as {@code 1024x1536}
   * @param known such as {@code 2:3}; at least one
   */
  public static String nearest(String size, List<String> known) {
    double wanted = ratio(size, "x");
    return known.stream()
        .min(comparingDouble(one -> Math.abs(ratio(one, ":") - wanted)))
        .orElseThrow();
  }

  /** Returns the logarithm of the ratio, so that 2:1 and 1:2 are equally far from 1:1. */
  private static double ratio(String sides, String between) {
    String[] both = sides.split(between, 2);
    return Math.log(Double.parseDouble(both[0]) / Double.parseDouble(both[1]));
  }
}
