package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Timer of one attempt, which enforces the deadline of its current step and its total timeout.
 * Deadlines move with every read, so they are only noted; the scheduled task compares them when it
 * fires, behind all reads that are pending, and is scheduled again for the time that is left.
 * Loop-confined.
 */
final class AttemptClock {
  /** Value of a deadline that never expires. */
  static final long NEVER = Long.MAX_VALUE;

  private final RequestLoop loop;
  private final Runnable onExpiry;
  private final long totalDeadline;
  private long deadline = NEVER;
  private long pausedDeadline = NEVER;
  private long pausedSince;
  private long firesAt;
  private @Nullable ScheduledFuture<?> task;
  private boolean closed;

  /**
   * @param totalDeadline on the loop's ticker, valid even while the clock is stopped
   */
  AttemptClock(RequestLoop loop, long totalDeadline, Runnable onExpiry) {
    this.loop = loop;
    this.onExpiry = onExpiry;
    this.totalDeadline = totalDeadline;
  }

  long now() {
    return loop.now();
  }

  /** Starts the total timeout. */
  void start() {
    arm();
  }

  /** Expires {@code duration} from now, unless moved or stopped before. */
  void runFor(Duration duration) {
    runUntil(now() + duration.toNanos());
  }

  void runUntil(long deadlineNanos) {
    deadline = deadlineNanos;
    arm();
  }

  /** True if this deadline expires before the total timeout. */
  boolean isAheadOfTotal() {
    return deadline <= totalDeadline;
  }

  /** Stops all but the total timeout. */
  void stop() {
    deadline = NEVER;
  }

  /** Pauses all but the total timeout, until {@link #resume}. */
  void pause() {
    pausedDeadline = deadline;
    pausedSince = now();
    stop();
  }

  /** Continues with the time that was left. Returns the nanoseconds of the pause. */
  long resume() {
    long pausedNanos = now() - pausedSince;
    if (pausedDeadline != NEVER) {
      runUntil(pausedDeadline + pausedNanos);
    }
    return pausedNanos;
  }

  void close() {
    closed = true;
    deadline = NEVER;
    if (task != null) {
      task.cancel(false);
      task = null;
    }
  }

  private void arm() {
    long next = Math.min(deadline, totalDeadline);
    if (next == NEVER || (task != null && firesAt <= next)) {
      return;
    }
    if (task != null) {
      task.cancel(false);
    }
    firesAt = next;
    task = loop.schedule(this::fired, Duration.ofNanos(Math.max(1, next - now())));
  }

  private void fired() {
    task = null;
    long next = Math.min(deadline, totalDeadline);
    if (next == NEVER) {
      return;
    }
    if (next <= now()) {
      // Behind what the provider sent: after a blocked loop both are found at once.
      ClientPriorityIoHandler.executeQueued(() -> loop.run(this::expireUnlessMoved));
    } else {
      arm();
    }
  }

  private void expireUnlessMoved() {
    if (closed) {
      return;
    }
    if (Math.min(deadline, totalDeadline) <= now()) {
      onExpiry.run();
    } else {
      arm();
    }
  }
}
