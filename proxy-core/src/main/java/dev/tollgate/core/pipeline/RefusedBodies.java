package dev.tollgate.core.pipeline;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the connections whose refused body is read to its end, so that clients who send all before
 * they read receive their answer and yet cost only so many sockets. Shared by all loops.
 */
final class RefusedBodies {
  /** Connections of one node that are kept for that at once. */
  static final int PLACES = 256;

  private final long bodyBytesMax;
  private final AtomicInteger held = new AtomicInteger();
  private final LongAdder unread = new LongAdder();

  /**
   * @param bodyBytesMax the largest body that any endpoint takes
   */
  RefusedBodies(long bodyBytesMax) {
    this.bodyBytesMax = bodyBytesMax;
  }

  /** What is read of a refused body at most, wherever it has a place. */
  long bodyBytesMax() {
    return bodyBytesMax;
  }

  /** Takes a place, to be given back with {@link #leave()}; whoever gets none is counted. */
  boolean tryEnter() {
    if (held.getAndUpdate(count -> count < PLACES ? count + 1 : count) >= PLACES) {
      unread.increment();
      return false;
    }
    return true;
  }

  void leave() {
    held.decrementAndGet();
  }

  /** Places taken now. */
  int held() {
    return held.get();
  }

  /** Bodies so far that found no place. */
  long unread() {
    return unread.sum();
  }
}
