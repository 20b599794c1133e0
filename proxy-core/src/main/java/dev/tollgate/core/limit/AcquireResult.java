package dev.tollgate.core.limit;

import java.util.List;

/** What became of a draw. */
public sealed interface AcquireResult {
  /**
   * Everything was taken; to be given back by {@link Counters#end} exactly once.
   *
   * @param levels of the draw's buckets, in its order, after it
   */
  record AllAcquired(List<Level> levels) implements AcquireResult {
    public AllAcquired {
      levels = List.copyOf(levels);
    }
  }

  /**
   * Nothing was taken, because buckets hold less than was asked for.
   *
   * @param levels of the draw's buckets, in its order, as they are
   * @param slotFree whether the draw's slot could have been had
   */
  record Refused(List<Level> levels, boolean slotFree) implements AcquireResult {
    public Refused {
      levels = List.copyOf(levels);
    }
  }

  /** Nobody can say in time; what may have been taken is given back without more. */
  record Unavailable(String reason) implements AcquireResult {}

  /**
   * How one bucket stands.
   *
   * @param remaining whole requests or tokens that it holds; below 0 after an overrun
   * @param waitMicros until the draw's amount can be had of it: 0 where it is there, and also where
   *     the amount is above the capacity, so that it never will be
   */
  record Level(long remaining, long waitMicros) {}
}
