package dev.tollgate.core.pipeline;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the connections whose refused body is read to its end, so that clients who send all before
 * they read receive their answer and yet cost only so many sockets. Shared by all loops.
 */
final class DrainingBodies {
  /** Connections of one node that are kept for that at once. */
  static final int CONNECTIONS_MAX = 256;

  private final long bodyBytesMax;
  private final AtomicInteger draining = new AtomicInteger();
  private final LongAdder unread = new LongAdder();

  /**
   * @param bodyBytesMax the largest body that any endpoint takes
   */
  DrainingBodies(long bodyBytesMax) {
    this.bodyBytesMax = bodyBytesMax;
  }

  /** What is read of a refused body at most, wherever it has a place. */
  long bodyBytesMax() {
    return bodyBytesMax;
  }

  /** Takes a place, to be given back with {@link #release()}; whoever gets none is counted. */
  boolean tryAcquire() {
    if (draining.getAndUpdate(count -> count < CONNECTIONS_MAX ? count + 1 : count)
        >= CONNECTIONS_MAX) {
      unread.increment();
      return false;
    }
    return true;
  }

  void release() {
    draining.decrementAndGet();
  }

  /** Places taken now. */
  int draining() {
    return draining.get();
  }

  /** Bodies so far that found no place. */
  long unread() {
    return unread.sum();
  }
}
