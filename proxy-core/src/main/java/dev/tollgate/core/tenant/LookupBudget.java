package dev.tollgate.core.tenant;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.net.AddressBlock;
import java.util.concurrent.TimeUnit;

/**
 * Budget of key look-ups that find no key, so that made-up keys cost the store little
 * (docs/decisions/keys.md#look-ups): per address for ids that do not exist, and per address and id
 * for texts with an existing id, so that no caller uses up another one's budget. Shared by all
 * event loops.
 */
final class LookupBudget {
  /** Look-ups per second of keys whose id does not exist, per address. */
  static final int UNKNOWN_PER_SECOND = 10;

  static final int UNKNOWN_BURST = 40;

  /** Look-ups per second of keys whose id exists, per address and id. */
  static final int EXISTING_PER_SECOND = 50;

  private final RefusalBuckets<Caller> buckets;

  LookupBudget(int callersMax) {
    buckets = new RefusalBuckets<>(callersMax);
  }

  /** Owner of one bucket. */
  private sealed interface Caller {
    record OfUnknownKeys(AddressBlock from) implements Caller {}

    record OfExistingId(AddressBlock from, KeyId id) implements Caller {}
  }

  /** Returns the payment of a caller with a key whose id does not exist. */
  Payment unknown(AddressBlock from, long nowNanos) {
    return payment(new Caller.OfUnknownKeys(from), UNKNOWN_PER_SECOND, UNKNOWN_BURST, nowNanos);
  }

  /** Returns the payment of a caller with a key whose id exists. */
  Payment existing(AddressBlock from, KeyId id, long nowNanos) {
    return payment(
        new Caller.OfExistingId(from, id), EXISTING_PER_SECOND, EXISTING_PER_SECOND, nowNanos);
  }

  private Payment payment(Caller caller, int perSecond, int burst, long nowNanos) {
    long tokenNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    return new Payment(buckets.of(caller, nowNanos), tokenNanos, burst, nowNanos);
  }

  /** Returns the number of buckets in memory, for a gauge. */
  long size() {
    return buckets.size();
  }

  /** Payment of one request for its look-up: at most one token. Used by one thread at a time. */
  static final class Payment {
    private final RefusalBucket bucket;
    private final long tokenNanos;
    private final int burst;
    private final long nowNanos;
    private boolean paid;

    private Payment(RefusalBucket bucket, long tokenNanos, int burst, long nowNanos) {
      this.bucket = bucket;
      this.tokenNanos = tokenNanos;
      this.burst = burst;
      this.nowNanos = nowNanos;
    }

    /** Pays, unless that was done; false if the budget is used up. */
    boolean tryPay() {
      paid = paid || bucket.tryDraw(tokenNanos, burst, nowNanos);
      return paid;
    }

    /** Takes the payment back, if there was one. */
    void takeBack() {
      if (paid) {
        paid = false;
        bucket.giveBack(tokenNanos);
      }
    }
  }
}
