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
final class RequestsLimit {
  private static final double LESS = 0.9;
  private static final double MORE = 1.05;

  /**
   * What fills the room while loops have next to nothing to do only waits, for a provider that
   * hangs: it needs room and no loop.
   */
  private static final double MUCH_MORE = 1.5;

  /** The share of the wait allowed below which loops have next to nothing to do. */
  private static final double IDLE = 0.25;

  /** The share of the limit that must be in use for it to grow, or it would grow for nothing. */
  private static final double IN_USE = 0.7;

  /** Looks that must all have found loops busy: one second. */
  private static final int LOOKS = 4;

  /** Looks that must all have found little to do for it to begin anew: five seconds. */
  private static final int LOOKS_TO_FORGET = 20;

  private final int least;
  private final int most;
  private final long waitNanosMax;
  private double limit;
  private int busyLooks;
  private int quietLooks;

  /**
   * @param most the bound of the configuration; also where it begins
   * @param waitMax how long loops may keep waiting what providers sent, on average
   */
  RequestsLimit(int least, int most, Duration waitMax) {
    this.least = Math.min(least, most);
    this.most = most;
    this.waitNanosMax = waitMax.toNanos();
    this.limit = most;
  }

  /** The limit for the time until the next look. */
  int look(Duration wait, int running) {
    busyLooks = wait.toNanos() > waitNanosMax ? busyLooks + 1 : 0;
    quietLooks = busyLooks == 0 && running < least ? quietLooks + 1 : 0;
    if (busyLooks >= LOOKS && running >= least) {
      // From what is there: a limit far above it would take many looks to matter. While more are in
      // work than it allows, the last cut has not shown yet what it does.
      limit = running > limit ? limit : Math.max(least, LESS * running);
    } else if (busyLooks == 0 && running >= IN_USE * limit) {
      double factor = wait.toNanos() < IDLE * waitNanosMax ? MUCH_MORE : MORE;
      limit = Math.min(most, factor * limit + 1);
    } else if (quietLooks >= LOOKS_TO_FORGET) {
      limit = most;
    }
    return (int) limit;
  }
}
