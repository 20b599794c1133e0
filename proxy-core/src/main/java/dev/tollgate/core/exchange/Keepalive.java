package dev.tollgate.core.exchange;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Calls back when the client has not been sent a byte for a while: to commit a waiting stream, then
 * to ping it. One lazily re-armed timer. Loop-confined.
 */
final class Keepalive {
  private final EventLoop loop;
  private final Runnable onSilence;
  private long silenceMaxNanos;
  private long lastByteNanos;
  private @Nullable ScheduledFuture<?> task;

  Keepalive(EventLoop loop, Runnable onSilence) {
    this.loop = loop;
    this.onSilence = onSilence;
  }

  /** Starts to count from {@code sinceNanos}. */
  void start(Duration silenceMax, long sinceNanos) {
    silenceMaxNanos = silenceMax.toNanos();
    lastByteNanos = sinceNanos;
    if (task != null) {
      task.cancel(false);
    }
    arm();
  }

  /** A byte went to the client. */
  void byteSent(long nowNanos) {
    lastByteNanos = nowNanos;
  }

  void stop() {
    if (task != null) {
      task.cancel(false);
      task = null;
    }
  }

  private void arm() {
    long left = lastByteNanos + silenceMaxNanos - loop.ticker().nanoTime();
    task = loop.schedule(this::fired, Math.max(1, left), TimeUnit.NANOSECONDS);
  }

  private void fired() {
    if (loop.ticker().nanoTime() - lastByteNanos >= silenceMaxNanos) {
      lastByteNanos = loop.ticker().nanoTime();
      onSilence.run();
    }
    if (task != null) {
      arm();
    }
  }
}
