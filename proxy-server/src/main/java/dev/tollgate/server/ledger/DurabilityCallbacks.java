package dev.tollgate.server.ledger;

import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Callbacks of requests that wait until their journal records are durable, run as one task per
 * event loop. Confined to the writer's thread, except for the measured delay of the loops.
 */
final class DurabilityCallbacks {
  private static final Logger LOG = LoggerFactory.getLogger(DurabilityCallbacks.class);

  private IdentityHashMap<Executor, List<Runnable>> waiting = new IdentityHashMap<>();

  /** Delay of the loop that ran last. A lost update is benign, because the next one is similar. */
  private volatile long loopDelayNanos;

  void add(Executor loop, Runnable durable) {
    waiting.computeIfAbsent(loop, _ -> new ArrayList<>()).add(durable);
  }

  void run() {
    IdentityHashMap<Executor, List<Runnable>> ready = waiting;
    waiting = new IdentityHashMap<>();
    ready.forEach(this::run);
  }

  /** Returns the recent delay of provider events on an event loop. */
  long loopDelayNanos() {
    return loopDelayNanos;
  }

  private void run(Executor loop, List<Runnable> tasks) {
    long submittedNanos = System.nanoTime();
    try {
      loop.execute(
          () -> {
            ClientPriorityIoHandler.executeQueued(
                () -> loopDelayNanos = System.nanoTime() - submittedNanos);
            tasks.forEach(DurabilityCallbacks::runOne);
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("{} requests ended after their event loop", tasks.size());
    }
  }

  private static void runOne(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error("the end of a request failed after its charge was durable", e);
    }
  }
}
