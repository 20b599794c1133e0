package dev.tollgate.bench;

import dev.tollgate.bench.Script.StreamCheck;

/**
 * Compares the frames of one stream with its script and counts lost, repeated and changed frames.
 * Among equal frames, a lost one can appear as a repeated one.
 */
final class FrameCheck implements StreamCheck {
  private static final int AHEAD_MAX = 256;

  private final KnownScript script;
  private final Tally tally;
  private int next;
  private int lost;
  private int repeated;
  private int changed;

  FrameCheck(KnownScript script, Tally tally) {
    this.script = script;
    this.tally = tally;
  }

  /** Returns the index of the expected frame. */
  int next() {
    return next;
  }

  @Override
  public void frame(long hash, long sinceIntendedNanos) {
    if (script.is(next, hash)) {
      tally.eventDelay(script.delayNanos(next, sinceIntendedNanos));
      next++;
      return;
    }
    if (script.is(next - 1, hash)) {
      repeated++;
      return;
    }
    int ahead = script.indexOf(hash, next + 1, next + AHEAD_MAX);
    if (ahead >= 0) {
      lost += ahead - next;
      next = ahead + 1;
    } else if (script.indexOf(hash, next - AHEAD_MAX, next) >= 0) {
      repeated++;
    } else {
      changed++;
      next = Math.min(next + 1, script.count());
    }
  }

  @Override
  public boolean isValid() {
    lost += script.count() - next;
    next = script.count();
    if (lost + repeated + changed == 0) {
      return true;
    }
    tally.frames(lost, repeated, changed);
    return false;
  }
}
