package dev.tollgate.core.limit;

import dev.tollgate.core.limit.Bucket.LimitScope;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;

/**
 * The running buckets of one key, organization or model, by what they count, and the lock that
 * guards them. Shared by all loops; a bucket that is made stays.
 */
final class LocalBuckets {
  private final Map<Bucket.Unit, LocalBucket> byUnit = new EnumMap<>(Bucket.Unit.class);
  private volatile boolean forgotten;

  /** Whose they are. Locks are taken in the order of owners, by all. */
  record Owner(LimitScope scope, String id) implements Comparable<Owner> {
    private static final Comparator<Owner> ORDER =
        Comparator.comparing(Owner::scope).thenComparing(Owner::id);

    static Owner of(Bucket rule) {
      return new Owner(rule.scope(), rule.id());
    }

    @Override
    public int compareTo(Owner other) {
      return ORDER.compare(this, other);
    }
  }

  /** The one that the rule names, full where there is none yet. */
  synchronized LocalBucket get(Bucket rule, long nowNanos) {
    return byUnit.computeIfAbsent(rule.unit(), _ -> new LocalBucket(rule, nowNanos));
  }

  synchronized int count() {
    return byUnit.size();
  }

  /** Others are made in their place if they are asked for again. */
  void forget() {
    forgotten = true;
  }

  boolean isForgotten() {
    return forgotten;
  }
}
