package dev.tollgate.core.dialect.gemini;

import static java.util.Comparator.comparingDouble;

import java.util.List;

/** The shape of an image, which some providers are told in place of its size. */
public final class AspectRatio {
  private AspectRatio() {}

  /**
   * Of the ratios that a provider has, the nearest.
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

  /** By how much width and height differ, which is as much for 2:1 as for 1:2. */
  private static double ratio(String sides, String between) {
    String[] both = sides.split(between, 2);
    return Math.log(Double.parseDouble(both[0]) / Double.parseDouble(both[1]));
  }
}
