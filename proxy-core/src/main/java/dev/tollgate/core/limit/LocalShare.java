package dev.tollgate.core.limit;

import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Drawn.Level;
import dev.tollgate.core.limit.LocalBuckets.Owner;
import dev.tollgate.core.limit.Slots.Wish;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The running buckets of an allotment. A draw locks their owners in one order for all, for less
 * than a microsecond, so that it sees and takes all or nothing. Shared by all loops.
 */
final class LocalShare {
  // So often a bucket in use is said to be in use.
  private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LocalCounters counters;
  private final LocalBucket[] buckets;
  private final Part[] parts;
  private final long madeNanos;

  /** What an allotment has of one owner: the places of its buckets. */
  private static final class Part {
    private final LocalBuckets owner;
    private final int[] places;

    Part(LocalBuckets owner, int... places) {
      this.owner = owner;
      this.places = places;
    }
  }

  LocalShare(
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

  private Part part(Owner owner, List<Bucket> rules, LocalBuckets its) {
    int[] places =
        IntStream.range(0, rules.size())
            .filter(n -> Owner.of(rules.get(n)).equals(owner))
            .toArray();
    for (int n : places) {
      buckets[n] = its.get(rules.get(n), madeNanos);
    }
    return new Part(its, places);
  }

  /** Whether these are still the buckets that {@code asking} counts in. */
  boolean holds(LocalCounters asking, long nowNanos) {
    boolean holds = counters == asking && nowNanos - madeNanos < KEPT_NANOS;
    for (int p = 0; holds && p < parts.length; p++) {
      holds = !parts[p].owner.isForgotten();
    }
    return holds;
  }

  /**
   * Takes all that the draw names, or nothing.
   *
   * @param slots asked last, and only if no bucket lacks anything
   * @param levels becomes how the buckets stand behind it
   */
  Wish take(Draw draw, Slots slots, long nowNanos, Level[] levels) {
    return take(0, Wish.GRANTED, draw, slots, nowNanos, levels);
  }

  private Wish take(int p, Wish soFar, Draw draw, Slots slots, long nowNanos, Level[] levels) {
    if (p == parts.length) {
      return soFar == Wish.GRANTED ? slots.ask(draw.slot()) : soFar;
    }
    Part part = parts[p];
    synchronized (part.owner) {
      Wish possible = soFar;
      for (int n : part.places) {
        Bucket rule = draw.buckets().get(n);
        buckets[n].flow(nowNanos);
        buckets[n].resize(rule.capacity(), nowNanos);
        if (buckets[n].lacks(draw.amount(rule))) {
          possible = Wish.REFUSED;
        }
      }
      Wish verdict = take(p + 1, possible, draw, slots, nowNanos, levels);
      for (int n : part.places) {
        long amount = draw.amount(draw.buckets().get(n));
        if (verdict == Wish.GRANTED) {
          buckets[n].take(amount);
        }
        levels[n] = buckets[n].level(amount);
      }
      return verdict;
    }
  }

  /** Makes of the tokens that were taken those that were used. Not resized: limits may change. */
  void correct(Draw draw, long used, long nowNanos) {
    if (used != draw.tokens()) {
      for (Part part : parts) {
        for (int n : part.places) {
          if (draw.buckets().get(n).unit() == Unit.TOKENS_PER_MINUTE) {
            correct(part.owner, buckets[n], used - draw.tokens(), nowNanos);
          }
        }
      }
    }
  }

  private static void correct(LocalBuckets owner, LocalBucket bucket, long more, long nowNanos) {
    synchronized (owner) {
      bucket.flow(nowNanos);
      if (more > 0) {
        bucket.overrun(more);
      } else {
        bucket.refund(-more);
      }
    }
  }
}
