package dev.tollgate.server.redis;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Draw.Slot.OneOf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The draws of this node that Redis is to count: as many as requests run. For any thread. */
final class Held {
  private static final int BATCH = 256;

  private final Map<RequestId, Draw> draws = new ConcurrentHashMap<>();

  void add(Draw draw) {
    draws.put(draw.request(), draw);
  }

  /** Whether it was held until now. */
  boolean remove(Draw draw) {
    return draws.remove(draw.request()) != null;
  }

  boolean contains(Draw draw) {
    return draws.containsKey(draw.request());
  }

  boolean isEmpty() {
    return draws.isEmpty();
  }

  /** How many of them have a slot. */
  int slots() {
    return (int) draws.values().stream().filter(draw -> draw.slot() instanceof OneOf).count();
  }

  /** All of them but some, in batches that one call can state. */
  List<List<Draw>> batchesWithout(Set<RequestId> some) {
    List<Draw> all =
        draws.values().stream().filter(draw -> !some.contains(draw.request())).toList();
    List<List<Draw>> batches = new ArrayList<>();
    for (int from = 0; from < all.size(); from += BATCH) {
      batches.add(all.subList(from, Math.min(from + BATCH, all.size())));
    }
    return batches;
  }
}
