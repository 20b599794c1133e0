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

  /** An amount of one bucket. */
  public record Take(Bucket bucket, long amount) {}

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
