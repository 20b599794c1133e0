package dev.tollgate.mock;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Encoded reply of the mock provider: one buffer cut into frames, each with its due time after the
 * request. Equal requests share a plan; each holds a reference to the buffer.
 */
final class ReplyPlan {
  private final ByteBuf bytes;
  private final int[] ends;
  private final long[] dueNanos;
  private final int[] tokens;
  private final int framesPerWrite;
  private final ReplyEnding ending;
  private final long repeatNanos;
  private final int promptTokens;

  /**
   * @param bytes owned by the plan
   * @param ends end offset of each frame
   * @param dueNanos due time of each frame, ascending
   * @param tokens completion tokens sent up to the end of each frame
   * @param framesPerWrite the most frames in one write; 0 means all that are due
   * @param repeatNanos the pause between repetitions of the last frame
   */
  ReplyPlan(
      ByteBuf bytes,
      int[] ends,
      long[] dueNanos,
      int[] tokens,
      int framesPerWrite,
      ReplyEnding ending,
      long repeatNanos,
      int promptTokens) {
    this.bytes = bytes;
    this.ends = ends;
    this.dueNanos = dueNanos;
    this.tokens = tokens;
    this.framesPerWrite = framesPerWrite;
    this.ending = ending;
    this.repeatNanos = repeatNanos;
    this.promptTokens = promptTokens;
  }

  int frames() {
    return ends.length;
  }

  int bytes() {
    return bytes.writerIndex();
  }

  long dueNanos(int frame) {
    return dueNanos[frame];
  }

  /** Returns the end index of the frames that are written together with {@code from}. */
  int writeEnd(int from, long elapsedNanos) {
    int end = from + 1;
    int endMax = framesPerWrite == 0 ? ends.length : Math.min(ends.length, from + framesPerWrite);
    while (end < endMax && dueNanos[end] <= elapsedNanos) {
      end++;
    }
    return end;
  }

  /** Returns a retained slice with the bytes of these frames. */
  ByteBuf slice(int from, int to) {
    int start = from == 0 ? 0 : ends[from - 1];
    return bytes.retainedSlice(start, ends[to - 1] - start);
  }

  /** Returns the number of completion tokens in the first {@code frames} frames. */
  int tokensAfter(int frames) {
    return frames == 0 ? 0 : tokens[frames - 1];
  }

  int promptTokens() {
    return promptTokens;
  }

  ReplyEnding ending() {
    return ending;
  }

  long repeatNanos() {
    return repeatNanos;
  }

  ReplyPlan retain() {
    bytes.retain();
    return this;
  }

  void release() {
    bytes.release();
  }

  @Override
  public String toString() {
    return "ReplyPlan[frames=%d, ends=%s]".formatted(ends.length, Arrays.toString(ends));
  }
}
