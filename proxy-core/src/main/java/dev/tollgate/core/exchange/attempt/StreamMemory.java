package dev.tollgate.core.exchange.attempt;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.exchange.frame.CountedBody;
import dev.tollgate.core.exchange.frame.InflightBytes;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Permit of the in-flight byte budget for the memory of one stream: an incomplete event, or the
 * copy of delivered text. A small amount per stream is free. Ended exactly once. Loop-confined.
 */
final class StreamMemory {
  private static final int FREE_EVENT_BYTES = 4 * 1024;
  private static final int TEXT_STEP_BYTES = 4 * 1024;
  private static final int FREE_FINAL_BYTES = 64 * 1024;

  private final InflightBytes inflight;
  private final int freeBytes;
  private final int stepBytes;
  private int heldBytes;
  private InflightBytes.@Nullable Permit permit;

  private StreamMemory(InflightBytes inflight, int freeBytes, int stepBytes) {
    this.inflight = inflight;
    this.freeBytes = freeBytes;
    this.stepBytes = stepBytes;
  }

  /** Returns the permit of an incomplete event: most are small and short-lived. */
  static StreamMemory ofEvent(InflightBytes inflight) {
    return new StreamMemory(inflight, FREE_EVENT_BYTES, 1);
  }

  /** Returns the permit of delivered text, which grows with every event: counted in steps. */
  static StreamMemory ofText(InflightBytes inflight) {
    return new StreamMemory(inflight, TEXT_STEP_BYTES, TEXT_STEP_BYTES);
  }

  /** Resizes the permit. Returns false if the budget has no room. */
  boolean tryResize(int bytes) {
    int counted = bytes <= freeBytes ? 0 : Math.ceilDiv(bytes, stepBytes) * stepBytes;
    if (counted == heldBytes) {
      return true;
    }
    boolean fits = permit == null ? acquire(counted) : permit.resize(counted);
    heldBytes = fits ? counted : heldBytes;
    return fits;
  }

  private boolean acquire(int bytes) {
    permit = inflight.tryAcquire(bytes).orElse(null);
    return permit != null;
  }

  /**
   * Moves the permit to the final part of the reply, which waits to be read by the client. A small
   * part, which the socket takes at once, is not counted. A part that is larger than the text, as a
   * response that repeats its tools, gets a permit of its own.
   */
  ByteBuf transferPermit(ByteBuf finalEvents) {
    int bytes = finalEvents.readableBytes();
    if (bytes <= FREE_FINAL_BYTES || (permit == null && !acquire(bytes))) {
      return finalEvents;
    }
    InflightBytes.Permit held = requireNonNull(permit);
    permit = null;
    heldBytes = 0;
    held.resize(bytes); // may fail for a larger part: the old size counts then
    return CountedBody.of(finalEvents, held);
  }

  void end() {
    if (permit != null) {
      permit.end();
      permit = null;
    }
  }
}
