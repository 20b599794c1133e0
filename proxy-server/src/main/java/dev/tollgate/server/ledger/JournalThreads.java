package dev.tollgate.server.ledger;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads of a journal: one that writes, one that makes and clears away segments. */
interface JournalThreads {

  /** Runs the writer's loop; completes when that returned. */
  CompletableFuture<Void> startWriter(Runnable loop);

  /** Runs a task, one after the other. */
  void execute(Runnable task);

  /** Runs a task after a while. */
  void schedule(Duration delay, Runnable task);

  /** Lets the present task end and begins no other. */
  void shutdown();

  /** Threads of their own, which nobody interrupts: that would close the files under them. */
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
