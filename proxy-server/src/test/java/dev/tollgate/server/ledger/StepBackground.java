package dev.tollgate.server.ledger;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** No threads: chores are done at once, and the test writes when it wants to. */
final class StepBackground implements Background {
  @Override
  public CompletableFuture<Void> writer(Runnable loop) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void run(Runnable task) {
    task.run();
  }

  @Override
  public void later(Duration delay, Runnable task) {}

  @Override
  public void stop() {}
}
