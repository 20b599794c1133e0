package dev.tollgate.server.redis;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Ends takes whose time is over. All have the same time, so the first that came is the first to go:
 * one timer for all of them, instead of one each.
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

  /** Now, as deadlines have it. */
  long nowNanos() {
    return clock.ticker().nanoTime();
  }

  /** Expires it when its time is over, unless it is answered before. For any thread. */
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
    } else if (!waiting.isEmpty()) { // it came while nobody watched
      watchFrom(0);
    }
  }

  /** The first that still waits. */
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
