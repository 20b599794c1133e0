package dev.tollgate.server.ledger;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads of a journal: one that writes, one that makes and clears away segments. */
interface Background {

  /** Runs the writer's loop; completes when that returned. */
  CompletableFuture<Void> writer(Runnable loop);

  /** Runs a task, one after the other. */
  void run(Runnable task);

  /** Runs a task after a while. */
  void later(Duration delay, Runnable task);

  /** Lets the present task end and begins no other. */
  void stop();

  /** Threads of their own, which nobody interrupts: that would close the files under them. */
  static Background threads() {
    var chores =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("journal-segments").daemon().factory());
    chores.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return new Background() {
      @Override
      public CompletableFuture<Void> writer(Runnable loop) {
        return CompletableFuture.runAsync(
            loop, task -> Thread.ofPlatform().name("journal").daemon().start(task));
      }

      @Override
      public void run(Runnable task) {
        if (!chores.isShutdown()) {
          chores.execute(task);
        }
      }

      @Override
      public void later(Duration delay, Runnable task) {
        if (!chores.isShutdown()) {
          chores.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        }
      }

      @Override
      public void stop() {
        chores.shutdown();
      }
    };
  }
}
