package dev.tollgate.core.limit;

import dev.tollgate.core.id.RequestId;
import java.util.List;

/**
 * Parameters of one request's acquisition from its rate limits: an amount of each bucket of a limit
 * set, and one of the key's concurrency slots.
 *
 * @param request id of the acquisition in the shared counters
 * @param requests amount of each bucket that counts requests: 1, or 0 for a probe
 * @param tokens amount of each bucket that counts tokens, at least 0
 */
public record Acquire(RequestId request, LimitSet limits, int requests, long tokens) {

  /**
   * Returns an acquisition that takes nothing: a probe of bucket levels, never refused and never
   * ended.
   */
  public static Acquire probe(RequestId request, List<Bucket> buckets) {
    return new Acquire(request, new LimitSet(buckets, new Slot.Unlimited()), 0, 0);
  }

  public List<Bucket> buckets() {
    return limits.buckets();
  }

  /** Returns the slot, which refuses after all buckets. */
  public Slot slot() {
    return limits.slot();
  }

  /** Returns the amount taken from a bucket; even an overdrawn bucket grants 0. */
  public long amount(Bucket bucket) {
    return switch (bucket.unit()) {
      case REQUESTS_PER_SECOND, REQUESTS_PER_MINUTE -> requests;
      case TOKENS_PER_MINUTE -> tokens;
    };
  }

  /** True if a bucket at this level has less than the amount. */
  boolean isRefusedAt(Bucket bucket, AcquireResult.Level level) {
    long amount = amount(bucket);
    return amount > 0 && level.remaining() < amount;
  }

  /** True if this is only a probe. */
  public boolean isProbe() {
    return slot() instanceof Slot.Unlimited
        && buckets().stream().allMatch(bucket -> amount(bucket) == 0);
  }

  /** Returns the amount of each bucket, in the order in which they refuse. */
  public List<BucketAmount> amounts() {
    return buckets().stream().map(bucket -> new BucketAmount(bucket, amount(bucket))).toList();
  }

  /** An amount of one bucket. */
  public record BucketAmount(Bucket bucket, long amount) {}

  /** Concurrency slot: the right to run one of a bounded number of requests of a key. */
  public sealed interface Slot {
    /** The key's concurrency is not limited. */
    record Unlimited() implements Slot {}

    /**
     * A slot of {@code max}.
     *
     * @param id the key's id
     */
    record Limited(String id, int max) implements Slot {}
  }
}
