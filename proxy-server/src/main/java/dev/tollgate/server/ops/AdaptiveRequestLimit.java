package dev.tollgate.server.ops;

import java.time.Duration;

/**
 * Concurrency limit on the requests of this node that adapts to the task delay of its event loops.
 * It falls by a tenth when loops keep events waiting for too long, grows by a twentieth when the
 * limit is used and loops keep up, and by half when they idle.
 *
 * <p>A delay counts as load only if it lasts for a second: a pause of some hundred milliseconds is
 * a garbage collection or another process. Fewer running requests than the configured minimum never
 * count as the cause: the loops of a new node are busy with JIT compilation, and a limit cut for
 * that would refuse clients while a provider hangs. Confined to one thread.
 */
final class AdaptiveRequestLimit {
  private static final double DECREASE = 0.9;
  private static final double INCREASE = 1.05;

  /**
   * Growth if loops are idle at a full limit: the requests wait for a hanging provider and need no
   * loop.
   */
  private static final double FAST_INCREASE = 1.5;

  /** Share of the permitted delay below which loops count as idle. */
  private static final double IDLE = 0.25;

  /** Share of the limit that must be in use for the limit to grow. */
  private static final double IN_USE = 0.7;

  /** Samples in a row with busy loops before the limit falls: one second. */
  private static final int BUSY_SAMPLES = 4;

  /** Samples in a row with few requests before the limit is reset: five seconds. */
  private static final int QUIET_SAMPLES = 20;

  private final int limitMin;
  private final int limitMax;
  private final long waitNanosMax;
  private double limit;
  private int busySamples;
  private int quietSamples;

  /**
   * @param limitMax the configured bound; also the initial limit
   * @param waitMax longest mean delay of provider events on a loop
   */
  AdaptiveRequestLimit(int limitMin, int limitMax, Duration waitMax) {
    this.limitMin = Math.min(limitMin, limitMax);
    this.limitMax = limitMax;
    this.waitNanosMax = waitMax.toNanos();
    this.limit = limitMax;
  }

  /** Returns the limit until the next sample. */
  int update(Duration delay, int running) {
    busySamples = delay.toNanos() > waitNanosMax ? busySamples + 1 : 0;
    quietSamples = busySamples == 0 && running < limitMin ? quietSamples + 1 : 0;
    if (busySamples >= BUSY_SAMPLES && running >= limitMin) {
      // From the present number of requests: a limit far above it would take many samples to have
      // an effect. While more requests run than the limit permits, the last cut has not taken
      // effect yet.
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
