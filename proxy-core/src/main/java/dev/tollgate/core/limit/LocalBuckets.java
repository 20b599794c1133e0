package dev.tollgate.core.limit;

import dev.tollgate.core.limit.Bucket.LimitScope;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;

/**
 * In-memory token buckets of one key, organization or model, by unit; this object is the lock that
 * guards them. Shared by all event loops; buckets are never removed.
 */
final class LocalBuckets {
  private final Map<Bucket.Unit, LocalBucket> byUnit = new EnumMap<>(Bucket.Unit.class);
  private volatile boolean forgotten;

  /** Owner of buckets. All threads take the locks in the order of owners. */
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

  /** Returns the bucket of a rule, created full if there is none. */
  synchronized LocalBucket get(Bucket rule, long nowNanos) {
    return byUnit.computeIfAbsent(rule.unit(), _ -> new LocalBucket(rule, nowNanos));
  }

  synchronized int count() {
    return byUnit.size();
  }

  /** Marks these buckets as evicted; the owner's next acquisition makes new ones. */
  void forget() {
    forgotten = true;
  }

  boolean isForgotten() {
    return forgotten;
  }
}
