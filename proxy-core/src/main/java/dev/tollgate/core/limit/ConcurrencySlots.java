package dev.tollgate.core.limit;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Counts of each API key's running requests in this process, for the concurrency limits. Shared by
 * all event loops: counts change atomically, and a count of 0 is removed, so there are never more
 * counts than running requests.
 */
final class ConcurrencySlots {
  private final ConcurrentMap<String, Integer> counts = new ConcurrentHashMap<>();

  /** Result of acquiring a slot. */
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

  /** Frees a granted slot, once. */
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

  /**
   * Returns the slots of all keys in use. Summed on demand, because a shared total would make
   * requests contend.
   */
  int inUse() {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }
}
