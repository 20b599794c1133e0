package dev.tollgate.core.limit;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many requests each key has under way in this process. Shared by all loops: each count is
 * changed atomically, and one that returns to 0 is forgotten, so there are never more than
 * requests.
 */
final class Slots {
  private final ConcurrentMap<String, Integer> counts = new ConcurrentHashMap<>();

  /** What became of the wish for a slot. */
  enum Wish {
    GRANTED,
    REFUSED
  }

  Wish ask(Draw.Slot slot) {
    return switch (slot) {
      case Draw.Slot.Unlimited _ -> Wish.GRANTED;
      case Draw.Slot.OneOf one -> ask(one);
    };
  }

  private Wish ask(Draw.Slot.OneOf one) {
    Wish[] wish = {Wish.REFUSED};
    counts.compute(
        one.id(),
        (_, held) -> {
          int count = held == null ? 0 : held;
          if (count >= one.most()) {
            wish[0] = Wish.REFUSED;
            return held;
          }
          wish[0] = Wish.GRANTED;
          return count + 1;
        });
    return wish[0];
  }

  /** Gives back what was granted, once. */
  void free(Draw.Slot slot) {
    switch (slot) {
      case Draw.Slot.Unlimited _ -> {}
      case Draw.Slot.OneOf one ->
          counts.computeIfPresent(one.id(), (_, held) -> held == 1 ? null : held - 1);
    }
  }

  boolean hasFree(Draw.Slot slot) {
    return switch (slot) {
      case Draw.Slot.Unlimited _ -> true;
      case Draw.Slot.OneOf one -> counts.getOrDefault(one.id(), 0) < one.most();
    };
  }

  /** Slots of all keys. Counted when it is asked: no request is to wait for all others' count. */
  int inUse() {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }
}
