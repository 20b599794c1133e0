package dev.tollgate.core.limit;

import dev.tollgate.core.limit.Acquire.Slot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the requests of a key for a model draw from: the buckets, and the key's slots. Made once for
 * many draws; shared by all loops.
 */
public final class LimitSet {
  private final List<Bucket> buckets;
  private final Slot slot;
  private final @Nullable Bucket tokens;
  private final LimitFieldLayout fieldLayout;
  // What LocalCounters found for it: immutable, so that it may be read and written by any loop.
  private volatile @Nullable LocalLimitSet local;

  /**
   * @param buckets in the order in which they refuse, without those that are off; may be empty
   * @param slot the last to refuse
   */
  public LimitSet(List<Bucket> buckets, Slot slot) {
    this.buckets = List.copyOf(buckets);
    this.slot = slot;
    this.fieldLayout = LimitFieldLayout.of(this.buckets);
    this.tokens = fieldLayout.tokens() < 0 ? null : this.buckets.get(fieldLayout.tokens());
  }

  public List<Bucket> buckets() {
    return buckets;
  }

  public Slot slot() {
    return slot;
  }

  /** Whether nothing is limited. */
  boolean isUnlimited() {
    return buckets.isEmpty() && slot instanceof Slot.Unlimited;
  }

  /** The key's bucket of tokens, or null where they are not limited. */
  @Nullable Bucket tokens() {
    return tokens;
  }

  LimitFieldLayout fieldLayout() {
    return fieldLayout;
  }

  @Nullable LocalLimitSet local() {
    return local;
  }

  void local(LocalLimitSet found) {
    local = found;
  }
}
