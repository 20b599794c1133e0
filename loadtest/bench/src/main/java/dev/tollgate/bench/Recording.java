package dev.tollgate.bench;

import dev.tollgate.bench.Script.StreamCheck;
import java.util.Arrays;

/** Records the frames and arrival times of the stream that all others are compared with. */
final class Recording implements Script, StreamCheck {
  private static final int FRAMES_MAX = 1_000_000;

  private long[] frames = new long[64];
  private long[] offsetsNanos = new long[64];
  private int count;

  @Override
  public StreamCheck newCheck(Tally tally) {
    return this;
  }

  @Override
  public void frame(long hash, long sinceIntendedNanos) {
    if (count == FRAMES_MAX) {
      return;
    }
    if (count == frames.length) {
      frames = Arrays.copyOf(frames, 2 * count);
      offsetsNanos = Arrays.copyOf(offsetsNanos, 2 * count);
    }
    frames[count] = hash;
    offsetsNanos[count] = sinceIntendedNanos;
    count++;
  }

  @Override
  public boolean isValid() {
    return count > 0;
  }

  int count() {
    return count;
  }

  KnownScript script() {
    return new KnownScript(Arrays.copyOf(frames, count), Arrays.copyOf(offsetsNanos, count));
  }
}
