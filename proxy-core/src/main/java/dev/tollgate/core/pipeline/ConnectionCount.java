package dev.tollgate.core.pipeline;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Connections of all loops: open now against the limit, accepted and refused so far. */
final class ConnectionCount {
  private final int openMax;
  private final AtomicInteger open = new AtomicInteger();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder refused = new LongAdder();

  ConnectionCount(int openMax) {
    this.openMax = openMax;
  }

  boolean tryEnter() {
    if (open.incrementAndGet() > openMax) {
      open.decrementAndGet();
      refused.increment();
      return false;
    }
    accepted.increment();
    return true;
  }

  void leave() {
    open.decrementAndGet();
  }

  int open() {
    return open.get();
  }

  long accepted() {
    return accepted.sum();
  }

  long refused() {
    return refused.sum();
  }
}
