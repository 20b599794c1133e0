package dev.tollgate.core.limit;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.limit.LimitRules.PerKey;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.RefusalBucket;
import dev.tollgate.core.tenant.RefusalBuckets;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Budgets of refused requests by API key (docs/decisions/limits.md#refusal-budgets): five times the
 * key's request rate, at least 50 a second, counted by this node. Apart from all other buckets: a
 * request draws from its headers alone, and gives back when it is admitted. Shared by all event
 * loops.
 */
public final class RefusalBudgets {
  /** Highest number of keys whose refusals are counted. */
  public static final int KEYS_MAX = 100_000;

  private static final int RATES = 5;
  private static final int PER_SECOND_MIN = 50;
  private static final int SECONDS_PER_MINUTE = 60;
  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Supplier<LimitRules> rules;
  private final RefusalBuckets<KeyId> buckets = new RefusalBuckets<>(KEYS_MAX);

  public RefusalBudgets(Supplier<LimitRules> rules) {
    this.rules = rules;
  }

  /**
   * Draws a token for a request of a key; returns the 429 if there is none.
   *
   * @param token receives it, unless the key's refusals are not limited
   * @param usable false for a key that may not be used now, so that every request is refused
   */
  public @Nullable Fault draw(RefusalToken token, ApiKey key, boolean usable, long nowNanos) {
    PerKey configured = rules.get().key();
    long second = orDefault(key.limits().requestsPerSecond(), configured.rates().perSecond());
    long minute = orDefault(key.limits().requestsPerMinute(), configured.rates().perMinute());
    if (second == 0 && minute == 0 && usable) {
      return null;
    }
    long perSecond = Math.max(PER_SECOND_MIN, refusalsPerSecond(second, minute));
    // A key without a rate per second may send a whole minute's requests at once.
    long capacity = second == 0 && usable ? Math.max(perSecond, limit(minute)) : perSecond;
    long tokenNanos = SECOND_NANOS / perSecond;
    RefusalBucket bucket = buckets.of(key.id(), nowNanos);
    if (!bucket.tryDraw(tokenNanos, capacity, nowNanos)) {
      return LimitFault.refusals(perSecond);
    }
    token.hold(bucket, tokenNanos);
    return null;
  }

  private static long refusalsPerSecond(long second, long minute) {
    return second > 0
        ? RATES * limit(second)
        : Math.ceilDiv(RATES * limit(minute), SECONDS_PER_MINUTE);
  }

  private static long limit(long configured) {
    return Math.min(configured, Bucket.CAPACITY_MAX);
  }

  private static long orDefault(@Nullable Integer own, long configured) {
    return own == null ? configured : own;
  }

  /** Returns the number of keys whose refusals are counted, for a gauge. */
  public long size() {
    return buckets.size();
  }
}
