package dev.tollgate.server.oauth;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Port to the timer thread that runs token fetches one after the other, replaceable in tests. */
interface TaskScheduler {
  /** Runs a task after a delay, unless the scheduler is stopped. */
  void schedule(Duration delay, Runnable task);

  /** Starts no further task, and interrupts the running one. */
  void stop();

  /** Returns a scheduler with its own thread. */
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
