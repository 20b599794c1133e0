package dev.tollgate.server.ops;

/**
 * Smooths the load level of one signal: it rises at once, and falls after a second of clearly lower
 * pressure. The level thus does not oscillate. Confined to one thread.
 */
final class Hysteresis {
  private static final double MARGIN = 0.05;

  /** Number of lower samples in a row before the level falls: one second. */
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
