package dev.tollgate.core.exchange;

import org.jspecify.annotations.Nullable;

/**
 * Counts what is held of a stream, an incomplete event or delivered text, against the process-wide
 * budget, once that is more than a few reads. Ended exactly once. Loop-confined.
 */
final class StreamMemory {
  private static final int FREE_EVENT_BYTES = 64 * 1024;
  private static final int TEXT_STEP_BYTES = 4 * 1024;

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

  /** Counts an incomplete event: one that fits into a read is there for a moment only. */
  static StreamMemory ofEvent(InflightBytes inflight) {
    return new StreamMemory(inflight, FREE_EVENT_BYTES, 1);
  }

  /** Counts delivered text, which stays; in steps, for it grows with every event. */
  static StreamMemory ofText(InflightBytes inflight) {
    return new StreamMemory(inflight, TEXT_STEP_BYTES, TEXT_STEP_BYTES);
  }

  /** Takes note of what is held now; false where the budget has no room for it. */
  boolean hold(int bytes) {
    int rounded = Math.ceilDiv(bytes, stepBytes) * stepBytes;
    if (permit != null) {
      boolean fits = rounded == heldBytes || permit.resize(rounded);
      heldBytes = fits ? rounded : heldBytes;
      return fits;
    }
    if (rounded <= freeBytes) {
      return true;
    }
    heldBytes = rounded;
    permit = inflight.tryAcquire(rounded).orElse(null);
    return permit != null;
  }

  void end() {
    if (permit != null) {
      permit.end();
      permit = null;
    }
  }
}
