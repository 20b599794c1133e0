package dev.tollgate.core.tenant;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.tenant.KeyCache.PendingMax;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Table of the key cache's pending lookups in the key store: one for each key, up to a bound. Keys
 * whose id exists have places of their own, which made-up keys cannot take, and one id has only
 * some of them. A change to any key invalidates the lookups that began before it: their waiters
 * still get an answer, but no other request joins them and their results are not cached. Otherwise
 * a key could be cached as it was before its revocation (docs/decisions/keys.md#revocation).
 */
final class KeyLookups {
  private final KeyCache.Loader loader;
  private final PendingMax pendingMax;
  private final LookupSink sink;

  /** Guards the fields below, for a few steps at a time and never across a call outwards. */
  private final Object lock = new Object();

  private final Map<KeyHash, PendingLookup> joinable = new HashMap<>();
  private final Map<KeyId, Integer> pendingByExistingId = new HashMap<>();
  private int existingCount;
  private int unknownCount;

  KeyLookups(KeyCache.Loader loader, PendingMax pendingMax, LookupSink sink) {
    this.loader = loader;
    this.pendingMax = pendingMax;
    this.sink = sink;
  }

  /** Receiver of results that no change overtook; called under the lock. */
  interface LookupSink {
    void accept(KeyHash hash, Lookup lookup, long startedNanos);
  }

  /** Lookup of one key, with its waiters. */
  static final class PendingLookup {
    private final KeyId id;
    private final KeyHash hash;
    private final boolean exists;
    private final long startedNanos;
    private final List<Consumer<Lookup>> waiters = new ArrayList<>(1);
    private boolean completed;

    private PendingLookup(KeyId id, KeyHash hash, boolean exists, long startedNanos) {
      this.id = id;
      this.hash = hash;
      this.exists = exists;
      this.startedNanos = startedNanos;
    }

    /** Result of joining a lookup. */
    sealed interface JoinResult {}

    record Joined() implements JoinResult {}

    record Full() implements JoinResult {}
  }

  private static final PendingLookup.JoinResult JOINED = new PendingLookup.Joined();
  private static final PendingLookup.JoinResult FULL = new PendingLookup.Full();

  /** Joins the lookup of {@code hash}; false if there is none. */
  boolean tryJoin(KeyHash hash, Consumer<Lookup> waiter) {
    synchronized (lock) {
      PendingLookup pending = joinable.get(hash);
      return pending != null && pending.waiters.add(waiter);
    }
  }

  /**
   * Joins the lookup of {@code hash} or starts one; a waiter that joined is called exactly once.
   *
   * @param exists true if there is a key with this id, whatever its hash is
   */
  PendingLookup.JoinResult join(
      KeyId id, KeyHash hash, boolean exists, long nowNanos, Consumer<Lookup> waiter) {
    PendingLookup started;
    synchronized (lock) {
      if (tryJoin(hash, waiter)) {
        return JOINED;
      }
      if (!tryTakePlace(id, exists)) {
        return FULL;
      }
      started = new PendingLookup(id, hash, exists, nowNanos);
      started.waiters.add(waiter);
      joinable.put(hash, started);
    }
    start(started);
    return JOINED;
  }

  private boolean tryTakePlace(KeyId id, boolean exists) {
    if (!exists) {
      boolean isFree = unknownCount < pendingMax.unknown();
      unknownCount += isFree ? 1 : 0;
      return isFree;
    }
    int ofKey = pendingByExistingId.getOrDefault(id, 0);
    if (existingCount >= pendingMax.existing() || ofKey >= pendingMax.perKey()) {
      return false;
    }
    existingCount++;
    pendingByExistingId.put(id, ofKey + 1);
    return true;
  }

  private void freePlace(PendingLookup ended) {
    if (ended.exists) {
      existingCount--;
      pendingByExistingId.computeIfPresent(ended.id, (_, count) -> count == 1 ? null : count - 1);
    } else {
      unknownCount--;
    }
  }

  /** Invalidates all pending lookups. */
  void invalidate() {
    synchronized (lock) {
      joinable.clear();
    }
  }

  private void start(PendingLookup pending) {
    try {
      loader.load(pending.hash, lookup -> complete(pending, lookup));
    } catch (RuntimeException refused) {
      complete(pending, new Lookup.Unavailable("key look-up refused: " + refused.getMessage()));
    }
  }

  private void complete(PendingLookup pending, Lookup lookup) {
    synchronized (lock) {
      if (pending.completed) {
        return;
      }
      pending.completed = true;
      freePlace(pending);
      if (joinable.remove(pending.hash, pending)) {
        sink.accept(pending.hash, lookup, pending.startedNanos);
      }
    }
    // A completed look-up has no new waiters, so the list is no longer shared.
    for (Consumer<Lookup> waiter : pending.waiters) {
      deliver(waiter, lookup);
    }
  }

  private static void deliver(Consumer<Lookup> waiter, Lookup lookup) {
    try {
      waiter.accept(lookup);
    } catch (RejectedExecutionException itsLoopHasEnded) {
      // The waiter's connections ended with its loop; the other waiters still need the answer.
    }
  }

  /** Returns the number of pending lookups, for a gauge. */
  int pendingCount() {
    synchronized (lock) {
      return existingCount + unknownCount;
    }
  }
}
