package dev.tollgate.core.pipeline;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of client connections over all loops: open ones, which are limited, and those accepted and
 * refused so far.
 */
final class ConnectionCount {
  private final int openMax;
  private final AtomicInteger open = new AtomicInteger();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();

  ConnectionCount(int openMax) {
    this.openMax = openMax;
  }

  boolean tryAcquire() {
    // A refused connection is never counted, or the release of the last one would not see zero.
    if (open.getAndUpdate(count -> count < openMax ? count + 1 : count) >= openMax) {
      refused.increment();
      return false;
    }
    accepted.increment();
    return true;
  }

  void release() {
    open.decrementAndGet();
    completeIfNone();
  }

  /** Returns a stage that completes when every connection is closed and its handlers are done. */
  CompletionStage<Void> whenNone() {
    CompletableFuture<Void> none = new CompletableFuture<>();
    waiting.add(none);
    completeIfNone();
    return none;
  }

  // The caller that sees zero empties the queue; a waiter that is added later checks by itself.
  private void completeIfNone() {
    while (open.get() == 0) {
      CompletableFuture<Void> waiter = waiting.poll();
      if (waiter == null) {
        return;
      }
      waiter.complete(null);
    }
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
