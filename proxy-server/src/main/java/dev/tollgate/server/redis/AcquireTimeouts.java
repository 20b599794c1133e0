package dev.tollgate.server.redis;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Timer of pending permit acquisitions in Redis. All have the same timeout, so they expire in FIFO
 * order and share one timer.
 */
final class AcquireTimeouts {
  private final EventExecutor clock;
  private final Duration timeout;
  private final Queue<PendingAcquire> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean watching = new AtomicBoolean();

  AcquireTimeouts(EventExecutor clock, Duration timeout) {
    this.clock = clock;
    this.timeout = timeout;
  }

  /** Returns the time of the timeouts' clock. */
  long nowNanos() {
    return clock.ticker().nanoTime();
  }

  /** Expires an acquisition at its timeout, unless it is answered before. Safe on any thread. */
  void watch(PendingAcquire pending) {
    waiting.add(pending);
    watchFrom(timeout.toNanos());
  }

  private void watchFrom(long delayNanos) {
    if (watching.compareAndSet(false, true)) {
      clock.schedule(this::sweep, delayNanos, TimeUnit.NANOSECONDS);
    }
  }

  private void sweep() {
    assert clock.inEventLoop();
    PendingAcquire head = expire();
    watching.set(false);
    if (head != null) {
      watchFrom(leftNanos(head));
    } else if (!waiting.isEmpty()) { // added while the timer was not set
      watchFrom(0);
    }
  }

  /** Expires what is due and returns the first acquisition that still waits. */
  private @Nullable PendingAcquire expire() {
    PendingAcquire head = waiting.peek();
    while (head != null && (head.isFinished() || leftNanos(head) <= 0)) {
      head.expire();
      waiting.remove();
      head = waiting.peek();
    }
    return head;
  }

  private long leftNanos(PendingAcquire pending) {
    return pending.sentNanos() + timeout.toNanos() - nowNanos();
  }
}
