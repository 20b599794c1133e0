package dev.tollgate.server.redis;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Timeouts of the calls on one connection. A call that is due ends only after the connection's
 * event loop has read once more: an answer that waits in the socket counts, however late the loop
 * itself got the processor. All calls have the same timeout, so they expire in FIFO order and share
 * one timer. Confined to the event loop.
 */
final class CallTimeouts {
  /** Not due before the next round of the event loop, which reads first and runs tasks then. */
  private static final long NEXT_ROUND_NANOS = 1;

  private final EventExecutor loop;
  private final long timeoutNanos;
  private final Queue<TimedCall> waiting = new ArrayDeque<>();
  private boolean isTimerSet;

  CallTimeouts(EventExecutor loop, Duration timeout) {
    this.loop = loop;
    this.timeoutNanos = timeout.toNanos();
  }

  /** Expires a call at its timeout, unless it is answered before. To be called once it is sent. */
  void watch(TimedCall call) {
    assert loop.inEventLoop();
    call.sent(nowNanos());
    waiting.add(call);
    if (!isTimerSet) {
      setTimer(timeoutNanos);
    }
  }

  private void setTimer(long delayNanos) {
    isTimerSet = true;
    loop.schedule(this::look, delayNanos, TimeUnit.NANOSECONDS);
  }

  private void look() {
    long dueNanos = nowNanos() - timeoutNanos;
    TimedCall head = firstWaiting();
    if (head != null && head.sentNanos() - dueNanos <= 0) {
      loop.schedule(() -> expire(dueNanos), NEXT_ROUND_NANOS, TimeUnit.NANOSECONDS);
    } else {
      setTimerOf(head);
    }
  }

  /** Expires the calls that were sent until then, and are unanswered after the loop has read. */
  private void expire(long sentUntilNanos) {
    TimedCall head = firstWaiting();
    while (head != null && head.sentNanos() - sentUntilNanos <= 0) {
      head.expire();
      head = firstWaiting();
    }
    setTimerOf(head);
  }

  /** Returns the first call without an answer. */
  private @Nullable TimedCall firstWaiting() {
    TimedCall head = waiting.peek();
    while (head != null && head.isDone()) {
      waiting.remove();
      head = waiting.peek();
    }
    return head;
  }

  private void setTimerOf(@Nullable TimedCall head) {
    isTimerSet = false;
    if (head != null) {
      setTimer(head.sentNanos() + timeoutNanos - nowNanos());
    }
  }

  private long nowNanos() {
    return loop.ticker().nanoTime();
  }
}
