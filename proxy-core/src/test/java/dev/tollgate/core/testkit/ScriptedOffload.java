package dev.tollgate.core.testkit;

import dev.tollgate.core.exchange.frame.Offload;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * Offload whose one thread is the test: work runs at once, or is held until the test runs or
 * refuses it.
 */
public final class ScriptedOffload implements Offload {
  private final Queue<Task<?>> held = new ArrayDeque<>();
  private boolean holding;
  private int count;

  @Override
  public <T> void run(
      EventExecutor caller, long deadlineNanos, Callable<T> work, Consumer<Outcome<T>> whenDone) {
    count++;
    var task = new Task<>(caller, work, whenDone);
    if (holding) {
      held.add(task);
    } else {
      task.run();
    }
  }

  /** Holds all later work. */
  public void hold() {
    holding = true;
  }

  /** Runs the work that was held for the longest time. */
  public void runNext() {
    held.remove().run();
  }

  /** Refuses the work that was held for the longest time, as a full queue does. */
  public void refuseNext() {
    held.remove().refuse();
  }

  /** Returns the number of tasks that are held. */
  public int held() {
    return held.size();
  }

  /** Returns the number of tasks so far. */
  public int count() {
    return count;
  }

  private record Task<T>(EventExecutor caller, Callable<T> work, Consumer<Outcome<T>> whenDone) {
    void run() {
      Outcome<T> outcome;
      try {
        outcome = new Outcome.Done<>(work.call());
      } catch (Exception e) {
        outcome = new Outcome.Failed<>(e);
      }
      complete(outcome);
    }

    void refuse() {
      complete(new Outcome.Refused<>("queue full"));
    }

    private void complete(Outcome<T> outcome) {
      caller.execute(() -> whenDone.accept(outcome));
    }
  }
}
