package dev.tollgate.server.ops;

import java.time.Duration;

/**
 * How many requests may be in work at once, found by trial: where loops keep what they are given
 * waiting for too long it falls by a tenth, where the room is used and loops keep up it grows by a
 * twentieth, and by half while they idle. A pause of some hundred milliseconds is not too long:
 * only what lasts for a second is load, and not a collection of garbage or another process's work.
 * Nor are requests the load while fewer are in work than are always served: a young node's loops
 * are busy with becoming warm, and a limit cut for that turns away those who come while a provider
 * hangs. Confined to one thread.
 */
final class AdaptiveRequestLimit {
  private static final double DECREASE = 0.9;
  private static final double INCREASE = 1.05;

  /**
   * What fills the room while loops have next to nothing to do only waits, for a provider that
   * hangs: it needs room and no loop.
   */
  private static final double FAST_INCREASE = 1.5;

  /** The share of the wait allowed below which loops have next to nothing to do. */
  private static final double IDLE = 0.25;

  /** The share of the limit that must be in use for it to grow, or it would grow for nothing. */
  private static final double IN_USE = 0.7;

  /** Looks that must all have found loops busy: one second. */
  private static final int BUSY_SAMPLES = 4;

  /** Looks that must all have found little to do for it to begin anew: five seconds. */
  private static final int QUIET_SAMPLES = 20;

  private final int limitMin;
  private final int limitMax;
  private final long waitNanosMax;
  private double limit;
  private int busySamples;
  private int quietSamples;

  /**
   * @param limitMax the bound of the configuration; also where it begins
   * @param waitMax how long loops may keep waiting what providers sent, on average
   */
  AdaptiveRequestLimit(int limitMin, int limitMax, Duration waitMax) {
    this.limitMin = Math.min(limitMin, limitMax);
    this.limitMax = limitMax;
    this.waitNanosMax = waitMax.toNanos();
    this.limit = limitMax;
  }

  /** The limit for the time until the next look. */
  int update(Duration delay, int running) {
    busySamples = delay.toNanos() > waitNanosMax ? busySamples + 1 : 0;
    quietSamples = busySamples == 0 && running < limitMin ? quietSamples + 1 : 0;
    if (busySamples >= BUSY_SAMPLES && running >= limitMin) {
      // From what is there: a limit far above it would take many looks to matter. While more are in
      // work than it allows, the last cut has not shown yet what it does.
      limit = running > limit ? limit : Math.max(limitMin, DECREASE * running);
    } else if (busySamples == 0 && running >= IN_USE * limit) {
      double factor = delay.toNanos() < IDLE * waitNanosMax ? FAST_INCREASE : INCREASE;
      limit = Math.min(limitMax, factor * limit + 1);
    } else if (quietSamples >= QUIET_SAMPLES) {
      limit = limitMax;
    }
    return (int) limit;
  }
}
