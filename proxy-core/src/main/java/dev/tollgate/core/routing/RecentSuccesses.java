package dev.tollgate.core.routing;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Number of successes within a window, counted in slots of a tenth of it. Shared by all loops: each
 * slot is one atomic number of the slot's time and its count; a success that is counted while its
 * slot is reused may be lost.
 */
final class RecentSuccesses {
  /** Slots of a window, beside the one that has begun. */
  static final int SLOTS = 10;

  private static final int RING = 16;
  private static final int COUNT_BITS = 28;
  private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;

  private final AtomicLongArray ring = new AtomicLongArray(RING);

  /** Returns the number of the slot that a time is in. */
  static long slot(Duration window, long nanos) {
    return Math.floorDiv(nanos, Math.max(1, window.toNanos() / SLOTS));
  }

  /** Counts a success in its slot. */
  void add(long slot) {
    int index = index(slot);
    long seen = ring.get(index);
    while (!isOf(slot, seen)) {
      if (ring.compareAndSet(index, seen, slot << COUNT_BITS | 1)) {
        return;
      }
      seen = ring.get(index);
    }
    ring.incrementAndGet(index);
  }

  /** Returns the number of successes from the first slot to the last, of the last few. */
  long since(long first, long last) {
    long sum = 0;
    for (long slot = Math.max(first, last - RING + 1); slot <= last; slot++) {
      long seen = ring.get(index(slot));
      sum += isOf(slot, seen) ? seen & COUNT_MASK : 0;
    }
    return sum;
  }

  /** True if the number counts this slot, whose upper bits it has. */
  private static boolean isOf(long slot, long seen) {
    return seen >>> COUNT_BITS == (slot << COUNT_BITS) >>> COUNT_BITS;
  }

  private static int index(long slot) {
    return (int) (slot & (RING - 1));
  }
}
