package dev.tollgate.core.exchange.attempt;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.exchange.frame.CountedBody;
import dev.tollgate.core.exchange.frame.InflightBytes;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Counts what is held of a stream, an incomplete event or delivered text, against the process-wide
 * budget, once that is more than every stream may have. Ended exactly once. Loop-confined.
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

  /** Counts an incomplete event: most are small, and there for a moment only. */
  static StreamMemory ofEvent(InflightBytes inflight) {
    return new StreamMemory(inflight, FREE_EVENT_BYTES, 1);
  }

  /** Counts delivered text, which stays; in steps, for it grows with every event. */
  static StreamMemory ofText(InflightBytes inflight) {
    return new StreamMemory(inflight, TEXT_STEP_BYTES, TEXT_STEP_BYTES);
  }

  /** Takes note of what is held now; false where the budget has no room for it. */
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
   * Hands the place in the budget on to the last words that were made of the text, and wait for
   * their reader; what the socket takes at once goes uncounted. Words that repeat the request more
   * than the text, as a response does its tools, get a place of their own.
   */
  ByteBuf transferPermit(ByteBuf finalEvents) {
    int bytes = finalEvents.readableBytes();
    if (bytes <= FREE_FINAL_BYTES || (permit == null && !acquire(bytes))) {
      return finalEvents;
    }
    InflightBytes.Permit held = requireNonNull(permit);
    permit = null;
    heldBytes = 0;
    held.resize(bytes); // more may find no room: then what it had counts
    return CountedBody.of(finalEvents, held);
  }

  void end() {
    if (permit != null) {
      permit.end();
      permit = null;
    }
  }
}
