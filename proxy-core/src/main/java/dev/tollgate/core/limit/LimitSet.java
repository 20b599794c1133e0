package dev.tollgate.core.limit;

import dev.tollgate.core.limit.Acquire.Slot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Set of rate limits that apply to a key's requests for a model: token buckets, and the key's
 * concurrency slots. Made once for many acquisitions; shared by all event loops.
 */
public final class LimitSet {
  private final List<Bucket> buckets;
  private final Slot slot;
  private final @Nullable Bucket tokens;
  private final LimitFieldLayout fieldLayout;
  // Cached by LocalCounters; immutable, so any event loop may read and replace it.
  private volatile @Nullable LocalLimitSet local;

  /**
   * @param buckets in the order in which they refuse, without those that are off; may be empty
   * @param slot refuses after all buckets
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

  /** True if nothing is limited. */
  boolean isUnlimited() {
    return buckets.isEmpty() && slot instanceof Slot.Unlimited;
  }

  /** Returns the key's bucket of tokens; null if tokens are not limited. */
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
