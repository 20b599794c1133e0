package dev.tollgate.core.testkit;

import java.util.Random;

/**
 * Loops for property tests: each run gets its own seeded random, and a failure names the seed. Run
 * one seed again with {@code -Dtollgate.seed=…}; change the count with {@code -Dtollgate.seeds=…}.
 */
public final class Seeds {
  private static final String SEED = "tollgate.seed";
  private static final String COUNT = "tollgate.seeds";
  private static final int COUNT_DEFAULT = 200;

  private Seeds() {}

  /** Runs a property with the usual count of seeds. */
  public static void forEach(Property property) {
    forEach(Integer.getInteger(COUNT, COUNT_DEFAULT), property);
  }

  /** Runs a property {@code count} times, or once with the seed of the system property. */
  public static void forEach(int count, Property property) {
    Long only = Long.getLong(SEED);
    if (only != null) {
      run(only, property);
      return;
    }
    Random seeds = new Random();
    for (int i = 0; i < count; i++) {
      run(seeds.nextLong(), property);
    }
  }

  private static void run(long seed, Property property) {
    try {
      property.holds(new Random(seed));
    } catch (Exception | AssertionError e) {
      throw new AssertionError("fails with -D" + SEED + "=" + seed + ": " + e.getMessage(), e);
    }
  }

  /** One property, checked with one random. */
  @FunctionalInterface
  public interface Property {
    void holds(Random random) throws Exception;
  }
}
