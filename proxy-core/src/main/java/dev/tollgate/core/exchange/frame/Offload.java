package dev.tollgate.core.exchange.frame;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * Port that runs blocking work on other threads, bounded and with a deadline, and returns the
 * outcome on the caller's loop.
 */
public interface Offload {
  /**
   * Runs {@code work} on another thread and passes its outcome to {@code whenDone} on {@code
   * caller}.
   *
   * @param deadlineNanos on the caller's ticker; work that starts later is not run
   */
  <T> void run(
      EventExecutor caller, long deadlineNanos, Callable<T> work, Consumer<Outcome<T>> whenDone);

  /** Outcome of offloaded work. */
  sealed interface Outcome<T> {
    record Done<T>(T value) implements Outcome<T> {}

    /** The queue was full, or the deadline passed before the work began. */
    record Refused<T>(String reason) implements Outcome<T> {}

    record Failed<T>(Throwable cause) implements Outcome<T> {}
  }
}
