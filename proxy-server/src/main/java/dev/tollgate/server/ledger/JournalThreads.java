package dev.tollgate.server.ledger;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The two threads of a ledger journal: one writes records, one creates and retires segments. */
interface JournalThreads {

  /** Runs the writer's loop; the future completes when the loop returns. */
  CompletableFuture<Void> startWriter(Runnable loop);

  /** Runs a task on the segments' thread, after those submitted before. */
  void execute(Runnable task);

  /** Runs a task on the segments' thread after a delay. */
  void schedule(Duration delay, Runnable task);

  /** Shuts down after the present task. */
  void shutdown();

  /** Creates threads, which must never be interrupted: that would close the files they use. */
  static JournalThreads create() {
    var scheduler =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("journal-segments").daemon().factory());
    scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return new JournalThreads() {
      @Override
      public CompletableFuture<Void> startWriter(Runnable loop) {
        return CompletableFuture.runAsync(
            loop, task -> Thread.ofPlatform().name("journal").daemon().start(task));
      }

      @Override
      public void execute(Runnable task) {
        if (!scheduler.isShutdown()) {
          scheduler.execute(task);
        }
      }

      @Override
      public void schedule(Duration delay, Runnable task) {
        if (!scheduler.isShutdown()) {
          scheduler.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        }
      }

      @Override
      public void shutdown() {
        scheduler.shutdown();
      }
    };
  }
}
