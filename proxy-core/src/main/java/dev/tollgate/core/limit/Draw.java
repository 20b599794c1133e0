package dev.tollgate.core.limit;

import dev.tollgate.core.id.RequestId;
import java.util.List;

/**
 * All that one request takes of the limits: an amount of each bucket, and one of a key's slots.
 *
 * @param request names the draw where it is counted for all nodes
 * @param takes in the order in which they refuse, without those that are off; may be empty
 * @param slot the last to refuse
 */
public record Draw(RequestId request, List<Take> takes, Slot slot) {
  public Draw {
    takes = List.copyOf(takes);
  }

  /** A draw that takes nothing: a look at how buckets stand, never refused and never ended. */
  public static Draw look(RequestId request, List<Bucket> buckets) {
    List<Take> nothing = buckets.stream().map(bucket -> new Take(bucket, 0)).toList();
    return new Draw(request, nothing, new Slot.Unlimited());
  }

  /** Whether this is only a look. */
  public boolean takesNothing() {
    return slot instanceof Slot.Unlimited && takes.stream().allMatch(take -> take.amount() == 0);
  }

  /**
   * An amount of one bucket.
   *
   * @param amount at least 0; 0 is there even in a bucket that is overdrawn
   */
  public record Take(Bucket bucket, long amount) {
    /** Whether a bucket at this level lacks the amount. */
    public boolean isRefusedAt(Drawn.Level level) {
      return amount > 0 && level.remaining() < amount;
    }
  }

  /** One of the requests that a key may have under way. */
  public sealed interface Slot {
    /** However many the key has under way. */
    record Unlimited() implements Slot {}

    /**
     * One of {@code most}.
     *
     * @param id of the key
     */
    record OneOf(String id, int most) implements Slot {}
  }
}
