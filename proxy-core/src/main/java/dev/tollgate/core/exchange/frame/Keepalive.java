package dev.tollgate.core.exchange.frame;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Idle timer of a reply, which calls back when no byte was sent to the client for a while: first to
 * open a waiting stream, then to ping it. It is re-armed lazily. Loop-confined.
 */
final class Keepalive {
  private final EventLoop loop;
  private final Runnable onIdle;
  private long idleMaxNanos;
  private long lastByteNanos;
  private boolean running;
  private @Nullable ScheduledFuture<?> task;

  Keepalive(EventLoop loop, Runnable onIdle) {
    this.loop = loop;
    this.onIdle = onIdle;
  }

  /** Starts the timer as of {@code sinceNanos}. */
  void start(Duration idleMax, long sinceNanos) {
    running = true;
    idleMaxNanos = idleMax.toNanos();
    lastByteNanos = sinceNanos;
    if (task != null) {
      task.cancel(false);
    }
    arm();
  }

  /** Notes that a byte was sent to the client. */
  void byteSent(long nowNanos) {
    lastByteNanos = nowNanos;
  }

  void stop() {
    running = false;
    if (task != null) {
      task.cancel(false);
      task = null;
    }
  }

  private void arm() {
    long left = lastByteNanos + idleMaxNanos - now();
    task = loop.schedule(this::fired, Math.max(1, left), TimeUnit.NANOSECONDS);
  }

  private void fired() {
    task = null;
    if (now() - lastByteNanos >= idleMaxNanos) {
      lastByteNanos = now();
      onIdle.run();
    }
    if (running && task == null) { // else the callback stopped or restarted it
      arm();
    }
  }

  private long now() {
    return loop.ticker().nanoTime();
  }
}
