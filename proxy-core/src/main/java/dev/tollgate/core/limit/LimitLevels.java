package dev.tollgate.core.limit;

import java.util.List;
import java.util.Optional;

/** Port to what is used of token buckets now, for people: no request waits for those who read. */
public sealed interface LimitLevels {

  /** Buckets that this node counts alone, which are all there is if no other node runs. */
  record OfNode(LocalCounters counters) implements LimitLevels {}

  /** Buckets that all nodes share. */
  non-sealed interface OfAllNodes extends LimitLevels {

    /**
     * Returns what is used of each bucket; empty if the store of the buckets does not tell. May
     * block for some seconds.
     */
    Optional<List<Long>> used(List<Bucket> buckets);
  }
}
