package dev.tollgate.server.redis;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.Acquire.Slot;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.limit.LimitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Rate limit counters that delegate to the shared ones in Redis, or to this node's own while Redis
 * is unavailable. A slot that was granted locally is counted in both, so that other nodes see it as
 * soon as Redis answers again.
 */
final class LocalFallbackCounters implements Counters {
  private final SharedCounters shared;
  private final Counters local;
  private final Set<RequestId> localSlots = ConcurrentHashMap.newKeySet();

  LocalFallbackCounters(SharedCounters shared, Counters local) {
    this.shared = shared;
    this.local = local;
  }

  @Override
  public void acquire(Acquire acquire, Executor loop, Consumer<AcquireResult> answer) {
    shared.acquire(
        acquire,
        loop,
        result -> {
          switch (result) {
            case AcquireResult.AllAcquired _, AcquireResult.Refused _ -> answer.accept(result);
            case AcquireResult.Unavailable _ -> acquireLocally(acquire, loop, answer);
          }
        });
  }

  private void acquireLocally(Acquire acquire, Executor loop, Consumer<AcquireResult> answer) {
    local.acquire(
        acquire,
        loop,
        result -> {
          if (result instanceof AcquireResult.AllAcquired
              && acquire.slot() instanceof Slot.Limited) {
            localSlots.add(acquire.request());
            shared.countSlot(slotOf(acquire));
          }
          answer.accept(result);
        });
  }

  @Override
  public void end(Acquire acquire, long tokensUsed) {
    if (localSlots.remove(acquire.request())) {
      shared.uncountSlot(slotOf(acquire));
      local.end(acquire, tokensUsed);
    } else if (!shared.endHeld(acquire, tokensUsed)) {
      local.end(acquire, tokensUsed);
    }
  }

  /** Returns the acquisition without its buckets, of which nothing was taken in Redis. */
  private static Acquire slotOf(Acquire acquire) {
    return new Acquire(acquire.request(), new LimitSet(List.of(), acquire.slot()), 0, 0);
  }

  /** Returns the number of slots that both count. */
  int localSlots() {
    return localSlots.size();
  }
}
