package dev.tollgate.core.limit;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many requests each key has under way in this process. Shared by all loops: each count is
 * changed atomically, and one that returns to 0 is forgotten, so there are never more than
 * requests.
 */
final class ConcurrencySlots {
  private final ConcurrentMap<String, Integer> counts = new ConcurrentHashMap<>();

  /** What became of the wish for a slot. */
  enum SlotResult {
    GRANTED,
    REFUSED
  }

  SlotResult acquire(Acquire.Slot slot) {
    return switch (slot) {
      case Acquire.Slot.Unlimited _ -> SlotResult.GRANTED;
      case Acquire.Slot.Limited one -> acquire(one);
    };
  }

  private SlotResult acquire(Acquire.Slot.Limited one) {
    SlotResult[] result = {SlotResult.REFUSED};
    counts.compute(
        one.id(),
        (_, inUse) -> {
          int count = inUse == null ? 0 : inUse;
          if (count >= one.max()) {
            result[0] = SlotResult.REFUSED;
            return inUse;
          }
          result[0] = SlotResult.GRANTED;
          return count + 1;
        });
    return result[0];
  }

  /** Gives back what was granted, once. */
  void free(Acquire.Slot slot) {
    switch (slot) {
      case Acquire.Slot.Unlimited _ -> {}
      case Acquire.Slot.Limited one ->
          counts.computeIfPresent(one.id(), (_, inUse) -> inUse == 1 ? null : inUse - 1);
    }
  }

  boolean isFree(Acquire.Slot slot) {
    return switch (slot) {
      case Acquire.Slot.Unlimited _ -> true;
      case Acquire.Slot.Limited one -> counts.getOrDefault(one.id(), 0) < one.max();
    };
  }

  /** Slots of all keys. Counted when it is asked: no request is to wait for all others' count. */
  int inUse() {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }
}
