package dev.tollgate.bench;

/**
 * Expected frames of every stream in a scenario, with the provider's schedule. The schedule is the
 * earliest arrival of each frame after its request's intended start. Confined to the driver's loop.
 */
final class KnownScript implements Script {
  private final long[] frames;
  private final long[] earliestNanos;

  KnownScript(long[] frames, long[] earliestNanos) {
    this.frames = frames;
    this.earliestNanos = earliestNanos;
  }

  @Override
  public StreamCheck newCheck(Tally tally) {
    return new FrameCheck(this, tally);
  }

  /** Returns a script that updates the schedule, for streams of the provider itself. */
  Script learning() {
    return tally -> new Learner(new FrameCheck(this, tally));
  }

  int count() {
    return frames.length;
  }

  boolean is(int frame, long hash) {
    return frame >= 0 && frame < frames.length && frames[frame] == hash;
  }

  /** Returns the first such frame within a range, -1 if there is none. */
  int indexOf(long hash, int from, int to) {
    for (int frame = Math.max(0, from); frame < Math.min(to, frames.length); frame++) {
      if (frames[frame] == hash) {
        return frame;
      }
    }
    return -1;
  }

  /** Returns the delay of a frame after its earliest arrival. */
  long delayNanos(int frame, long sinceIntendedNanos) {
    return Math.max(0, sinceIntendedNanos - earliestNanos[frame]);
  }

  private final class Learner implements StreamCheck {
    private final FrameCheck check;

    Learner(FrameCheck check) {
      this.check = check;
    }

    @Override
    public void frame(long hash, long sinceIntendedNanos) {
      int frame = check.next();
      if (is(frame, hash)) {
        earliestNanos[frame] = Math.min(earliestNanos[frame], sinceIntendedNanos);
      }
      check.frame(hash, sinceIntendedNanos);
    }

    @Override
    public boolean isValid() {
      return check.isValid();
    }
  }
}
