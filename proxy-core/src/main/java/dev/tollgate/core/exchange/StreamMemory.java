package dev.tollgate.core.exchange;

import org.jspecify.annotations.Nullable;

/**
 * Counts what is held of a stream, an incomplete event or delivered text, against the process-wide
 * budget, once that is more than a few reads. Ended exactly once. Loop-confined.
 */
final class StreamMemory {
  private static final int FREE_BYTES = 64 * 1024;

  private final InflightBytes inflight;
  private InflightBytes.@Nullable Permit permit;

  StreamMemory(InflightBytes inflight) {
    this.inflight = inflight;
  }

  /** Takes note of what is held now; false where the budget has no room for it. */
  boolean hold(int bytes) {
    if (permit != null) {
      return permit.resize(bytes);
    }
    if (bytes <= FREE_BYTES) {
      return true;
    }
    permit = inflight.tryAcquire(bytes).orElse(null);
    return permit != null;
  }

  void end() {
    if (permit != null) {
      permit.end();
      permit = null;
    }
  }
}
