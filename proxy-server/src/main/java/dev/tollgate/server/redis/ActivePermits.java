package dev.tollgate.server.redis;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.Acquire.Slot.Limited;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Registry of the rate limit permits that running requests of this node hold in Redis, by request.
 * Instances are thread-safe.
 */
final class ActivePermits {
  private static final int BATCH = 256;

  private final Map<RequestId, Acquire> acquires = new ConcurrentHashMap<>();

  void add(Acquire acquire) {
    acquires.put(acquire.request(), acquire);
  }

  /** Removes an acquisition; true if it was held. */
  boolean remove(Acquire acquire) {
    return acquires.remove(acquire.request()) != null;
  }

  boolean contains(Acquire acquire) {
    return acquires.containsKey(acquire.request());
  }

  boolean isEmpty() {
    return acquires.isEmpty();
  }

  /** Returns the number of held acquisitions with a slot. */
  int slots() {
    return (int)
        acquires.values().stream().filter(acquire -> acquire.slot() instanceof Limited).count();
  }

  /** Returns all acquisitions except {@code some}, in batches that one call can restate. */
  List<List<Acquire>> batchesWithout(Set<RequestId> some) {
    List<Acquire> all =
        acquires.values().stream().filter(acquire -> !some.contains(acquire.request())).toList();
    List<List<Acquire>> batches = new ArrayList<>();
    for (int from = 0; from < all.size(); from += BATCH) {
      batches.add(all.subList(from, Math.min(from + BATCH, all.size())));
    }
    return batches;
  }
}
