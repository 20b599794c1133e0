package dev.tollgate.core.limit;

import dev.tollgate.core.limit.AcquireResult.Level;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.ConcurrencySlots.SlotResult;
import dev.tollgate.core.limit.LocalBuckets.Owner;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * In-memory token buckets of one limit set, from which a request acquires. An acquisition locks
 * their owners in one global order, for less than a microsecond, and takes all or nothing. Shared
 * by all event loops.
 */
final class LocalLimitSet {
  // Interval in which a bucket in use is looked up again, which defers its eviction.
  private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LocalCounters counters;
  private final LocalBucket[] buckets;
  private final Part[] parts;
  private final long madeNanos;

  /** Buckets of one owner, as indexes into the limit set. */
  private static final class Part {
    private final LocalBuckets owner;
    private final int[] indexes;

    Part(LocalBuckets owner, int... indexes) {
      this.owner = owner;
      this.indexes = indexes;
    }
  }

  LocalLimitSet(
      LocalCounters counters,
      List<Bucket> rules,
      Function<Owner, LocalBuckets> find,
      long nowNanos) {
    this.counters = counters;
    this.madeNanos = nowNanos;
    this.buckets = new LocalBucket[rules.size()];
    this.parts =
        rules.stream()
            .map(Owner::of)
            .distinct()
            .sorted()
            .map(owner -> part(owner, rules, find.apply(owner)))
            .toArray(Part[]::new);
  }

  private Part part(Owner owner, List<Bucket> rules, LocalBuckets owned) {
    int[] indexes =
        IntStream.range(0, rules.size())
            .filter(n -> Owner.of(rules.get(n)).equals(owner))
            .toArray();
    for (int n : indexes) {
      buckets[n] = owned.get(rules.get(n), madeNanos);
    }
    return new Part(owned, indexes);
  }

  /** True if these are still the buckets of {@code counter} and none was evicted. */
  boolean isCurrent(LocalCounters counter, long nowNanos) {
    boolean current = counters == counter && nowNanos - madeNanos < REFRESH_NANOS;
    for (int p = 0; current && p < parts.length; p++) {
      current = !parts[p].owner.isForgotten();
    }
    return current;
  }

  /**
   * Takes all that the acquisition names, or nothing.
   *
   * @param slots acquired last, and only if no bucket is short
   * @param levels receives the levels of the buckets afterwards
   */
  SlotResult acquire(Acquire acquire, ConcurrencySlots slots, long nowNanos, Level[] levels) {
    return acquire(0, SlotResult.GRANTED, acquire, slots, nowNanos, levels);
  }

  private SlotResult acquire(
      int p,
      SlotResult soFar,
      Acquire acquire,
      ConcurrencySlots slots,
      long nowNanos,
      Level[] levels) {
    if (p == parts.length) {
      return soFar == SlotResult.GRANTED ? slots.acquire(acquire.slot()) : soFar;
    }
    Part part = parts[p];
    synchronized (part.owner) {
      SlotResult result = soFar;
      for (int n : part.indexes) {
        Bucket rule = acquire.buckets().get(n);
        buckets[n].refill(nowNanos);
        buckets[n].resize(rule.capacity(), nowNanos);
        if (buckets[n].isShortOf(acquire.amount(rule))) {
          result = SlotResult.REFUSED;
        }
      }
      SlotResult outcome = acquire(p + 1, result, acquire, slots, nowNanos, levels);
      for (int n : part.indexes) {
        long amount = acquire.amount(acquire.buckets().get(n));
        if (outcome == SlotResult.GRANTED) {
          buckets[n].take(amount, nowNanos);
        }
        levels[n] = buckets[n].level(amount);
      }
      return outcome;
    }
  }

  /**
   * Corrects the buckets from the estimated to the used tokens. Does not resize them, because the
   * limits may have changed since.
   */
  void correct(Acquire acquire, long used, long nowNanos) {
    if (used != acquire.tokens()) {
      for (Part part : parts) {
        for (int n : part.indexes) {
          if (acquire.buckets().get(n).unit() == Unit.TOKENS_PER_MINUTE) {
            correct(part.owner, buckets[n], used - acquire.tokens(), nowNanos);
          }
        }
      }
    }
  }

  private static void correct(LocalBuckets owner, LocalBucket bucket, long more, long nowNanos) {
    synchronized (owner) {
      bucket.refill(nowNanos);
      if (more > 0) {
        bucket.overrun(more, nowNanos);
      } else {
        bucket.refund(-more, nowNanos);
      }
    }
  }
}
