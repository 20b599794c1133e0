package dev.tollgate.server.oauth;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Where tokens are fetched: one task after the other. */
interface TaskScheduler {
  /** Runs a task after a while, unless they were stopped. */
  void schedule(Duration delay, Runnable task);

  /** Begins no other task, and interrupts the present one. */
  void stop();

  /** A thread of their own. */
  static TaskScheduler thread() {
    var thread =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("access-tokens").daemon().factory());
    return new TaskScheduler() {
      @Override
      public void schedule(Duration delay, Runnable task) {
        if (!thread.isShutdown()) {
          thread.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
        }
      }

      @Override
      public void stop() {
        thread.shutdownNow();
      }
    };
  }
}
