package dev.tollgate.server.redis;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Draw.Slot.OneOf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

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

  /** All of them, some at a time. */
  void forBatches(Consumer<List<Draw>> each) {
    List<Draw> batch = new ArrayList<>(BATCH);
    for (Draw draw : draws.values()) {
      batch.add(draw);
      if (batch.size() == BATCH) {
        each.accept(List.copyOf(batch));
        batch.clear();
      }
    }
    if (!batch.isEmpty()) {
      each.accept(List.copyOf(batch));
    }
  }
}
