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
public record Acquire(RequestId request, LimitSet limits, int requests, long tokens) {

  /** A draw that takes nothing: a look at how buckets stand, never refused and never ended. */
  public static Acquire probe(RequestId request, List<Bucket> buckets) {
    return new Acquire(request, new LimitSet(buckets, new Slot.Unlimited()), 0, 0);
  }

  public List<Bucket> buckets() {
    return limits.buckets();
  }

  /** The last to refuse. */
  public Slot slot() {
    return limits.slot();
  }

  /** What is taken of a bucket; 0 is there even in one that is overdrawn. */
  public long amount(Bucket bucket) {
    return switch (bucket.unit()) {
      case REQUESTS_PER_SECOND, REQUESTS_PER_MINUTE -> requests;
      case TOKENS_PER_MINUTE -> tokens;
    };
  }

  /** Whether the bucket lacks what is to be taken of it when it stands at this level. */
  boolean isRefusedAt(Bucket bucket, AcquireResult.Level level) {
    long amount = amount(bucket);
    return amount > 0 && level.remaining() < amount;
  }

  /** Whether this is only a look. */
  public boolean isProbe() {
    return slot() instanceof Slot.Unlimited
        && buckets().stream().allMatch(bucket -> amount(bucket) == 0);
  }

  /** Bucket by bucket, in the order in which they refuse. */
  public List<BucketAmount> amounts() {
    return buckets().stream().map(bucket -> new BucketAmount(bucket, amount(bucket))).toList();
  }

  /** An amount of one bucket. */
  public record BucketAmount(Bucket bucket, long amount) {}

  /** One of the requests that a key may have under way. */
  public sealed interface Slot {
    /** However many the key has under way. */
    record Unlimited() implements Slot {}

    /**
     * One of {@code most}.
     *
     * @param id of the key
     */
    record Limited(String id, int max) implements Slot {}
  }
}
