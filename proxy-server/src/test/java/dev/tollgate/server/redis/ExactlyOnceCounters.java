package dev.tollgate.server.redis;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.limit.AcquireResult.Level;
import dev.tollgate.core.limit.Counters;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Counters that grant everything and check that only granted acquisitions are ended. */
final class ExactlyOnceCounters implements Counters {
  static final AcquireResult.AllAcquired TAKEN =
      new AcquireResult.AllAcquired(List.of(new Level(7, 0)));

  private final Set<RequestId> taken = new HashSet<>();

  @Override
  public synchronized void acquire(Acquire acquire, Executor loop, Consumer<AcquireResult> answer) {
    taken.add(acquire.request());
    answer.accept(TAKEN);
  }

  @Override
  public synchronized void end(Acquire acquire, long tokensUsed) {
    if (!taken.remove(acquire.request())) {
      throw new AssertionError("never took " + acquire);
    }
  }
}
