package dev.tollgate.core.exchange.frame;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Count of the requests, over all loops, that continue after their clients disconnected, so that a
 * stopping node can wait for them. Thread-safe.
 */
public final class DetachedRequests {
  private final AtomicInteger running = new AtomicInteger();
  private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();

  /** Counts a request from now on; the registration is ended exactly once. */
  public Registration register() {
    running.incrementAndGet();
    return new Registration();
  }

  /** Returns a stage that completes when no request is counted. */
  public CompletionStage<Void> whenNone() {
    CompletableFuture<Void> none = new CompletableFuture<>();
    waiting.add(none);
    completeIfNone();
    return none;
  }

  // The thread that sees zero empties the queue; a later waiter checks the count itself.
  private void completeIfNone() {
    while (running.get() == 0) {
      CompletableFuture<Void> waiter = waiting.poll();
      if (waiter == null) {
        return;
      }
      waiter.complete(null);
    }
  }

  /** One counted request. */
  public final class Registration {
    private boolean ended;

    private Registration() {}

    public void end() {
      assert !ended;
      ended = true;
      running.decrementAndGet();
      completeIfNone();
    }
  }
}
