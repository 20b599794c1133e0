package dev.tollgate.core.tenant;

import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * The key look-ups under way: one per key, so many at a time. A change to any key grounds those
 * that began before it: they still answer who waits for them, but nobody else joins them and
 * nothing they bring is kept, or a key would come back as it was before its revocation
 * (docs/decisions/keys.md#revocation).
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

  /** Takes what a look-up brought that no change overtook; called under the lock of the flights. */
  interface LookupSink {
    void accept(KeyHash hash, Lookup lookup, long startedNanos);
  }

  /** One look-up and who waits for it. */
  static final class PendingLookup {
    private final KeyHash hash;
    private final long startedNanos;
    private final List<Consumer<Lookup>> waiters = new ArrayList<>(1);
    private boolean completed;

    private PendingLookup(KeyHash hash, long startedNanos) {
      this.hash = hash;
      this.startedNanos = startedNanos;
    }

    /** Whether somebody got on. */
    sealed interface JoinResult {}

    record Joined() implements JoinResult {}

    record Full() implements JoinResult {}
  }

  private static final PendingLookup.JoinResult JOINED = new PendingLookup.Joined();
  private static final PendingLookup.JoinResult FULL = new PendingLookup.Full();

  /** Joins the look-up of {@code hash} or starts one; a waiter on board is called exactly once. */
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

  /** Whatever is under way now must not be kept or joined any more. */
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
    // Nobody joins a flight that has landed: the list is ours alone.
    for (Consumer<Lookup> waiter : pending.waiters) {
      deliver(waiter, lookup);
    }
  }

  private static void deliver(Consumer<Lookup> waiter, Lookup lookup) {
    try {
      waiter.accept(lookup);
    } catch (RejectedExecutionException itsLoopHasEnded) {
      // Its connections ended with it; the other waiters still want their answer.
    }
  }

  /** How many look-ups are under way, for a gauge. */
  int pendingCount() {
    synchronized (lock) {
      return pendingCount;
    }
  }
}
