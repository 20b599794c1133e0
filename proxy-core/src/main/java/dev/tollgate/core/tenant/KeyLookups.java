package dev.tollgate.core.tenant;

import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Table of the key cache's pending lookups in the key store: one for each key, up to a bound. A
 * change to any key invalidates the lookups that began before it: their waiters still get an
 * answer, but no other request joins them and their results are not cached. Otherwise a key could
 * be cached as it was before its revocation (docs/decisions/keys.md#revocation).
 */
final class KeyLookups {
  private final KeyCache.Loader loader;
  private final int pendingMax;
  private final LookupSink sink;

  /** Guards the fields below, for a few steps at a time and never across a call outwards. */
  private final Object lock = new Object();

  private final Map<KeyHash, PendingLookup> joinable = new HashMap<>();
  private int pendingCount;

  KeyLookups(KeyCache.Loader loader, int pendingMax, LookupSink sink) {
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
    private final KeyHash hash;
    private final long startedNanos;
    private final List<Consumer<Lookup>> waiters = new ArrayList<>(1);
    private boolean completed;

    private PendingLookup(KeyHash hash, long startedNanos) {
      this.hash = hash;
      this.startedNanos = startedNanos;
    }

    /** Result of joining a lookup. */
    sealed interface JoinResult {}

    record Joined() implements JoinResult {}

    record Full() implements JoinResult {}
  }

  private static final PendingLookup.JoinResult JOINED = new PendingLookup.Joined();
  private static final PendingLookup.JoinResult FULL = new PendingLookup.Full();

  /**
   * Joins the lookup of {@code hash} or starts one; a waiter that joined is called exactly once.
   */
  PendingLookup.JoinResult join(KeyHash hash, long nowNanos, Consumer<Lookup> waiter) {
    PendingLookup started;
    synchronized (lock) {
      PendingLookup pending = joinable.get(hash);
      if (pending != null) {
        pending.waiters.add(waiter);
        return JOINED;
      }
      if (pendingCount >= pendingMax) {
        return FULL;
      }
      pendingCount++;
      started = new PendingLookup(hash, nowNanos);
      started.waiters.add(waiter);
      joinable.put(hash, started);
    }
    start(started);
    return JOINED;
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
      pendingCount--;
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
      return pendingCount;
    }
  }
}
