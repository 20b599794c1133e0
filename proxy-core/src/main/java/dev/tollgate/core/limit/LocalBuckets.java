package dev.tollgate.core.limit;

import dev.tollgate.core.limit.Bucket.LimitScope;
import java.util.Comparator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * In-memory token buckets of one key, organization or model, by unit; this object is the lock that
 * guards them. Shared by all event loops; buckets are never removed.
 */
final class LocalBuckets {
  private final ConcurrentMap<Bucket.Unit, LocalBucket> byUnit = new ConcurrentHashMap<>(4);
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
  LocalBucket get(Bucket rule, long nowNanos) {
    return byUnit.computeIfAbsent(rule.unit(), _ -> new LocalBucket(rule, nowNanos));
  }

  int count() {
    return byUnit.size();
  }

  /** Returns what is used of a rule's bucket, without the lock. */
  long used(Bucket rule, long nowNanos) {
    LocalBucket bucket = byUnit.get(rule.unit());
    return bucket == null ? 0 : bucket.used(rule.capacity(), nowNanos);
  }

  /** Marks these buckets as evicted; the owner's next acquisition makes new ones. */
  void forget() {
    forgotten = true;
  }

  boolean isForgotten() {
    return forgotten;
  }
}
