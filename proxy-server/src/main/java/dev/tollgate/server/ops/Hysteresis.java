package dev.tollgate.server.ops;

/**
 * The level of one signal over time: it rises at once, and falls when the pressure has been clearly
 * lower for a while, or the node would go to and fro. Confined to one thread.
 */
final class Hysteresis {
  private static final double CLEARLY = 0.05;

  /** Looks in a row: one second. */
  private static final int LOOKS = 4;

  private LoadLevel level = LoadLevel.CALM;
  private int lower;

  LoadLevel look(double pressure) {
    LoadLevel now = LoadLevel.of(pressure);
    LoadLevel clearly = LoadLevel.of(pressure + CLEARLY);
    if (now.isAtLeast(level)) {
      level = now;
      lower = 0;
    } else if (clearly.isAtLeast(level)) {
      lower = 0;
    } else if (++lower >= LOOKS) {
      level = clearly;
      lower = 0;
    }
    return level;
  }
}
