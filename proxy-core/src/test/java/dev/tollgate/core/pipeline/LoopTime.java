package dev.tollgate.core.pipeline;

import io.netty.channel.EventLoop;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Probe of an event loop's own processor time: a task that runs again and again, so that what the
 * thread's clock shows between two runs is about one pass of the loop.
 */
final class LoopTime implements AutoCloseable {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final long PAUSE_MICROS = 50;

  private final EventLoop loop;
  private long before;
  private long longestNanos;
  private boolean ended;

  private LoopTime(EventLoop loop) {
    this.loop = loop;
  }

  /** Begins to probe. */
  static LoopTime of(EventLoop loop) {
    var time = new LoopTime(loop);
    loop.execute(
        () -> {
          time.before = THREADS.getCurrentThreadCpuTime();
          time.probeSoon();
        });
    return time;
  }

  private void probe() {
    long now = THREADS.getCurrentThreadCpuTime();
    longestNanos = Math.max(longestNanos, now - before);
    before = now;
    if (!ended) {
      probeSoon();
    }
  }

  /** Lets the loop look at its sockets in between. */
  private void probeSoon() {
    var _ = loop.schedule(this::probe, PAUSE_MICROS, TimeUnit.MICROSECONDS);
  }

  /** Returns the longest pass since the last call. */
  Duration takeLongest() throws Exception {
    return loop.submit(
            () -> {
              long longest = longestNanos;
              longestNanos = 0;
              return Duration.ofNanos(longest);
            })
        .get(20, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    loop.execute(() -> ended = true);
  }
}
