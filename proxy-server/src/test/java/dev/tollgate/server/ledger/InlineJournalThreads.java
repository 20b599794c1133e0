package dev.tollgate.server.ledger;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Journal threads of a test: tasks run at once, and the test calls the writer. */
final class InlineJournalThreads implements JournalThreads {
  @Override
  public CompletableFuture<Void> startWriter(Runnable loop) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void execute(Runnable task) {
    task.run();
  }

  @Override
  public void schedule(Duration delay, Runnable task) {}

  @Override
  public void shutdown() {}
}
