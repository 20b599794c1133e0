package dev.tollgate.core.limit;

import dev.tollgate.core.id.RequestId;
import java.util.List;

/**
 * All that one request takes of the limits: an amount of each bucket of an allotment, and one of a
 * key's slots.
 *
 * @param request names the draw where it is counted for all nodes
 * @param requests of each bucket that counts requests: 1, or 0 for a look
 * @param tokens of each bucket that counts tokens, at least 0
 */
public record Draw(RequestId request, Allotment of, int requests, long tokens) {

  /** A draw that takes nothing: a look at how buckets stand, never refused and never ended. */
  public static Draw look(RequestId request, List<Bucket> buckets) {
    return new Draw(request, new Allotment(buckets, new Slot.Unlimited()), 0, 0);
  }

  public List<Bucket> buckets() {
    return of.buckets();
  }

  /** The last to refuse. */
  public Slot slot() {
    return of.slot();
  }

  /** What is taken of a bucket; 0 is there even in one that is overdrawn. */
  public long amount(Bucket bucket) {
    return switch (bucket.unit()) {
      case REQUESTS_PER_SECOND, REQUESTS_PER_MINUTE -> requests;
      case TOKENS_PER_MINUTE -> tokens;
    };
  }

  /** Whether the bucket lacks what is to be taken of it when it stands at this level. */
  boolean isRefusedAt(Bucket bucket, Drawn.Level level) {
    long amount = amount(bucket);
    return amount > 0 && level.remaining() < amount;
  }

  /** Whether this is only a look. */
  public boolean takesNothing() {
    return slot() instanceof Slot.Unlimited
        && buckets().stream().allMatch(bucket -> amount(bucket) == 0);
  }

  /** Bucket by bucket, in the order in which they refuse. */
  public List<Take> takes() {
    return buckets().stream().map(bucket -> new Take(bucket, amount(bucket))).toList();
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
