package dev.tollgate.core.pipeline;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Bounded count of the connections on which the body of a refused request is read to its end.
 * Clients that read only after sending thus receive their answer, at the cost of some sockets.
 * Shared by all loops.
 */
final class DrainingBodies {
  /** Highest number of such connections on one node. */
  static final int CONNECTIONS_MAX = 256;

  private final long bodyBytesMax;
  private final AtomicInteger draining = new AtomicInteger();
  private final LongAdder unread = new LongAdder();

  /**
   * @param bodyBytesMax the largest body that any endpoint accepts
   */
  DrainingBodies(long bodyBytesMax) {
    this.bodyBytesMax = bodyBytesMax;
  }

  /** Returns the highest number of bytes that are read of a refused body. */
  long bodyBytesMax() {
    return bodyBytesMax;
  }

  /** Takes one of the slots, to be returned with {@link #release()}; a failure is counted. */
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

  /** Returns the number of slots in use. */
  int draining() {
    return draining.get();
  }

  /** Returns the number of bodies so far that found no free slot. */
  long unread() {
    return unread.sum();
  }
}
