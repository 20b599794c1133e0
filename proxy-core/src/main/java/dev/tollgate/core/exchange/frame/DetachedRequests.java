package dev.tollgate.core.exchange.frame;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests of all loops that are carried out although their clients are gone, so that a node which
 * stops can wait for them. Thread-safe.
 */
public final class DetachedRequests {
  private final AtomicInteger running = new AtomicInteger();
  private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();

  /** One of them goes on from here; to be ended exactly once. */
  public Registration register() {
    running.incrementAndGet();
    return new Registration();
  }

  /** Completes once there is none. */
  public CompletionStage<Void> whenNone() {
    CompletableFuture<Void> none = new CompletableFuture<>();
    waiting.add(none);
    completeIfNone();
    return none;
  }

  // Whoever sees zero empties the queue; a waiter that comes later looks for itself.
  private void completeIfNone() {
    while (running.get() == 0) {
      CompletableFuture<Void> waiter = waiting.poll();
      if (waiter == null) {
        return;
      }
      waiter.complete(null);
    }
  }

  /** What one of them counts for. */
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
