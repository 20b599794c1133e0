package dev.tollgate.core.exchange;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The one timer of an attempt. Deadlines move with every read, so they are only noted; the
 * scheduled task looks when it fires and sleeps on for what is left. Loop-confined.
 */
final class AttemptClock {
  private static final long STOPPED = Long.MAX_VALUE;

  private final EventLoop loop;
  private final Runnable onExpiry;
  private final long totalDeadline;
  private long deadline = STOPPED;
  private long pausedDeadline = STOPPED;
  private long pausedSince;
  private long firesAt;
  private @Nullable ScheduledFuture<?> task;

  /**
   * @param total for the whole attempt, running even while stopped; null: off
   */
  AttemptClock(EventLoop loop, @Nullable Duration total, Runnable onExpiry) {
    this.loop = loop;
    this.onExpiry = onExpiry;
    this.totalDeadline = total == null ? STOPPED : now() + total.toNanos();
  }

  long now() {
    return loop.ticker().nanoTime();
  }

  /** Expires {@code duration} from now, unless it is moved or stopped before. */
  void runFor(Duration duration) {
    runUntil(now() + duration.toNanos());
  }

  void runUntil(long deadlineNanos) {
    deadline = deadlineNanos;
    arm();
  }

  /** Only the total clock runs on. */
  void stop() {
    deadline = STOPPED;
  }

  /** Stands still until {@link #resume}; only the total clock runs on. */
  void pause() {
    pausedDeadline = deadline;
    pausedSince = now();
    stop();
  }

  /** Runs on with the time that was left; says how many nanoseconds it stood still. */
  long resume() {
    long stood = now() - pausedSince;
    if (pausedDeadline != STOPPED) {
      runUntil(pausedDeadline + stood);
    }
    return stood;
  }

  void close() {
    deadline = STOPPED;
    if (task != null) {
      task.cancel(false);
      task = null;
    }
  }

  private void arm() {
    long next = Math.min(deadline, totalDeadline);
    if (task != null && firesAt <= next) {
      return;
    }
    if (task != null) {
      task.cancel(false);
    }
    firesAt = next;
    task = loop.schedule(this::fired, Math.max(1, next - now()), TimeUnit.NANOSECONDS);
  }

  private void fired() {
    task = null;
    long next = Math.min(deadline, totalDeadline);
    if (next == STOPPED) {
      return;
    }
    if (next <= now()) {
      onExpiry.run();
    } else {
      arm();
    }
  }
}
