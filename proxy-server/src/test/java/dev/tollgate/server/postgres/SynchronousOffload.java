package dev.tollgate.server.postgres;

import dev.tollgate.core.exchange.frame.Offload;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** Offload that runs work on the calling thread. */
public final class SynchronousOffload implements Offload {
  @Override
  public <T> void run(
      EventExecutor caller, long deadlineNanos, Callable<T> work, Consumer<Outcome<T>> whenDone) {
    Outcome<T> outcome;
    try {
      outcome = new Outcome.Done<>(work.call());
    } catch (Exception e) {
      outcome = new Outcome.Failed<>(e);
    }
    whenDone.accept(outcome);
  }
}
