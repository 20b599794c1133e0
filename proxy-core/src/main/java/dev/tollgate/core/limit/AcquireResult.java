package dev.tollgate.core.limit;

import java.util.List;

/**
 * Result of acquiring a request's amounts and slot from its rate limits, with the bucket levels.
 */
public sealed interface AcquireResult {
  /**
   * Everything was taken; to be ended by {@link Counters#end} exactly once.
   *
   * @param levels levels of the acquisition's buckets afterwards, in its order
   */
  record AllAcquired(List<Level> levels) implements AcquireResult {
    public AllAcquired {
      levels = List.copyOf(levels);
    }
  }

  /**
   * Nothing was taken, because a bucket has less than its amount or no slot is free.
   *
   * @param levels present levels of the acquisition's buckets, in its order
   * @param slotFree true if a slot was free
   */
  record Refused(List<Level> levels, boolean slotFree) implements AcquireResult {
    public Refused {
      levels = List.copyOf(levels);
    }
  }

  /**
   * The counters did not answer in time. Anything taken meanwhile is released without a call of
   * {@link Counters#end}.
   */
  record Unavailable(String reason) implements AcquireResult {}

  /**
   * Level of one bucket.
   *
   * @param remaining whole requests or tokens in the bucket; below 0 after an overrun
   * @param waitMicros time until the bucket holds the acquisition's amount: 0 if it does, or if the
   *     amount is above the capacity, so that it never will
   */
  record Level(long remaining, long waitMicros) {}
}
