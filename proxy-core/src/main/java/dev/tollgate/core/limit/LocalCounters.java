package dev.tollgate.core.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.tollgate.core.limit.AcquireResult.Level;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.LocalBuckets.Owner;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * In-memory implementation of the rate-limit counters, for one process. Shared by all event loops:
 * an acquisition takes all or nothing atomically, so a refused one never affects others.
 */
public final class LocalCounters implements Counters {
  // Above the longest period, a minute, so that an evicted bucket was full unless its debt exceeded
  // nine minutes of refill.
  private static final Duration IDLE_MAX = Duration.ofMinutes(10);
  // No request uses more; a provider may report any number, which must not overflow.
  private static final long TOKENS_MAX = Bucket.CAPACITY_MAX;

  private final Cache<Owner, LocalBuckets> buckets;
  private final ConcurrencySlots slots = new ConcurrencySlots();
  private final LongSupplier nanos;

  /**
   * @param nanos a monotonic clock
   * @param bucketsMax bound of buckets in memory; beyond it the least recently used one is evicted
   *     and starts full again
   */
  public LocalCounters(LongSupplier nanos, int bucketsMax) {
    this.nanos = nanos;
    this.buckets =
        Caffeine.newBuilder()
            .maximumWeight(bucketsMax)
            .weigher((Owner owner, LocalBuckets _) -> bucketsPerOwner(owner.scope()))
            .expireAfterAccess(IDLE_MAX)
            .ticker(nanos::getAsLong)
            .evictionListener((_, evicted, _) -> Objects.requireNonNull(evicted).forget())
            .executor(Runnable::run)
            .build();
  }

  /** Returns the most buckets that an owner can have. */
  private static int bucketsPerOwner(LimitScope scope) {
    return switch (scope) {
      case KEY -> 3;
      case ORGANIZATION, MODEL, GLOBAL -> 2;
    };
  }

  @Override
  public void acquire(Acquire acquire, Executor loop, Consumer<AcquireResult> answer) {
    answer.accept(acquireNow(acquire));
  }

  private AcquireResult acquireNow(Acquire acquire) {
    long now = now();
    Level[] levels = new Level[acquire.buckets().size()];
    return switch (local(acquire.limits(), now).acquire(acquire, slots, now, levels)) {
      case GRANTED -> new AcquireResult.AllAcquired(List.of(levels));
      case REFUSED -> new AcquireResult.Refused(List.of(levels), slots.isFree(acquire.slot()));
    };
  }

  @Override
  public void end(Acquire acquire, long tokensUsed) {
    slots.free(acquire.slot());
    if (acquire.limits().tokens() != null) {
      long now = now();
      local(acquire.limits(), now).correct(acquire, Math.clamp(tokensUsed, 0, TOKENS_MAX), now);
    }
  }

  private LocalLimitSet local(LimitSet limits, long nowNanos) {
    LocalLimitSet known = limits.local();
    if (known != null && known.isCurrent(this, nowNanos)) {
      return known;
    }
    LocalLimitSet found = new LocalLimitSet(this, limits.buckets(), this::bucketsOf, nowNanos);
    limits.local(found);
    return found;
  }

  private LocalBuckets bucketsOf(Owner owner) {
    return buckets.get(owner, _ -> new LocalBuckets());
  }

  /** Returns the time in whole microseconds, the resolution of the shared counters. */
  private long now() {
    return Math.floorDiv(nanos.getAsLong(), 1_000) * 1_000;
  }

  // Figures, from any thread

  /**
   * Returns what is used of each bucket. Takes no lock and does not count as a use of the buckets.
   */
  public List<Long> used(List<Bucket> rules) {
    long now = now();
    return rules.stream().map(rule -> used(rule, now)).toList();
  }

  private long used(Bucket rule, long nowNanos) {
    LocalBuckets owned = buckets.policy().getIfPresentQuietly(Owner.of(rule));
    return owned == null ? 0 : owned.used(rule, nowNanos);
  }

  /** Returns the slots of all keys in use. */
  public int slotsInUse() {
    return slots.inUse();
  }

  /**
   * Returns the number of buckets in memory. Evicts idle ones first, so it must not be called on an
   * event loop.
   */
  public long bucketCount() {
    buckets.cleanUp();
    return buckets.asMap().values().stream().mapToLong(LocalBuckets::count).sum();
  }
}
