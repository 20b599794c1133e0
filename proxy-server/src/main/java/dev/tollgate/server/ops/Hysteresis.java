package dev.tollgate.server.ops;

/**
 * The level of one signal over time: it rises at once, and falls when the pressure has been clearly
 * lower for a while, or the node would go to and fro. Confined to one thread.
 */
final class Hysteresis {
  private static final double MARGIN = 0.05;

  /** Looks in a row: one second. */
  private static final int SAMPLES_TO_LOWER = 4;

  private LoadLevel level = LoadLevel.CALM;
  private int lowerSamples;

  LoadLevel update(double pressure) {
    LoadLevel now = LoadLevel.of(pressure);
    LoadLevel withMargin = LoadLevel.of(pressure + MARGIN);
    if (now.isAtLeast(level)) {
      level = now;
      lowerSamples = 0;
    } else if (withMargin.isAtLeast(level)) {
      lowerSamples = 0;
    } else if (++lowerSamples >= SAMPLES_TO_LOWER) {
      level = withMargin;
      lowerSamples = 0;
    }
    return level;
  }
}
