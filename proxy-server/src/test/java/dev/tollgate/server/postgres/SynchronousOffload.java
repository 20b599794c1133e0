package dev.tollgate.server.postgres;

import dev.tollgate.core.exchange.frame.Offload;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** Work for the database that whoever asks for it waits for. */
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
