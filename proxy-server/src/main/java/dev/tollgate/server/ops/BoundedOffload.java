package dev.tollgate.server.ops;

import dev.tollgate.core.exchange.frame.Offload;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Thread pool with a bounded queue that runs blocking tasks for event loops and returns outcomes
 * there. A task that finds the queue full is refused at once; a task that is dequeued after its
 * deadline is not run.
 */
public final class BoundedOffload implements Offload, AutoCloseable {
  private static final int IDLE_SECONDS = 30;

  private final ThreadPoolExecutor threads;
  private final LongAdder refused = new LongAdder();

  public BoundedOffload(int threadCount, int queueMax) {
    this("offload-", threadCount, queueMax);
  }

  /**
   * Creates threads with a name prefix of their own.
   *
   * @param name prefix of the thread names
   */
  public BoundedOffload(String name, int threadCount, int queueMax) {
    threads =
        new ThreadPoolExecutor(
            threadCount,
            threadCount,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(queueMax),
            Thread.ofPlatform().name(name, 1).daemon().factory());
    threads.allowCoreThreadTimeOut(true);
  }

  @Override
  public <T> void run(
      EventExecutor caller, long deadlineNanos, Callable<T> work, Consumer<Outcome<T>> whenDone) {
    var task = new Task<>(caller, deadlineNanos, work, whenDone);
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      task.refuse(threads.isShutdown() ? "shutting down" : "queue full");
    }
  }

  /** Returns the number of tasks that wait for a thread. */
  public int depth() {
    return threads.getQueue().size();
  }

  /** Returns the number of refused tasks. */
  public long refused() {
    return refused.sum();
  }

  /** Refuses queued tasks and interrupts running ones; every caller gets its outcome. */
  @Override
  public void close() {
    for (Runnable waiting : threads.shutdownNow()) {
      if (waiting instanceof Task<?> task) {
        task.refuse("shutting down");
      }
    }
  }

  /** One blocking task with its deadline and callback. */
  private final class Task<T> implements Runnable {
    private final EventExecutor caller;
    private final long deadlineNanos;
    private final Callable<T> work;
    private final Consumer<Outcome<T>> whenDone;

    Task(
        EventExecutor caller, long deadlineNanos, Callable<T> work, Consumer<Outcome<T>> whenDone) {
      this.caller = caller;
      this.deadlineNanos = deadlineNanos;
      this.work = work;
      this.whenDone = whenDone;
    }

    @Override
    public void run() {
      if (caller.ticker().nanoTime() - deadlineNanos >= 0) {
        refuse("deadline passed in the queue");
        return;
      }
      complete(outcome());
    }

    // A failure of any kind must reach the caller, or its request would hang.
    private Outcome<T> outcome() {
      try {
        return new Outcome.Done<>(work.call());
      } catch (Throwable e) {
        return new Outcome.Failed<>(e);
      }
    }

    void refuse(String reason) {
      refused.increment();
      complete(new Outcome.Refused<>(reason));
    }

    private void complete(Outcome<T> outcome) {
      try {
        caller.execute(() -> whenDone.accept(outcome));
      } catch (RejectedExecutionException loopIsGone) {
        // The event loop has ended, and with it every channel that could wait for the outcome.
      }
    }
  }
}
