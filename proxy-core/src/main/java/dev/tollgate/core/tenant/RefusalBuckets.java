package dev.tollgate.core.tenant;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * Bounded table of refusal buckets by owner. Beyond the bound an owner that is rarely used is
 * evicted, and starts with a full bucket again. Shared by all event loops.
 */
public final class RefusalBuckets<K> {
  private final Cache<K, RefusalBucket> byOwner;

  public RefusalBuckets(int ownersMax) {
    // Evictions run on the caller's thread.
    byOwner = Caffeine.newBuilder().maximumSize(ownersMax).executor(Runnable::run).build();
  }

  /** Returns the owner's bucket, created full if there is none. */
  public RefusalBucket of(K owner, long nowNanos) {
    RefusalBucket known = byOwner.getIfPresent(owner);
    return known == null ? byOwner.get(owner, _ -> new RefusalBucket(nowNanos)) : known;
  }

  /** Returns the number of buckets in memory, for a gauge. */
  public long size() {
    return byOwner.estimatedSize();
  }
}
