package dev.tollgate.core.pipeline;

import dev.tollgate.core.net.AddressBlock;
import io.netty.channel.Channel;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of client connections over all loops: open ones, which are limited in all, those of them
 * that have not proved a key, which are limited per address, and those accepted, refused and closed
 * for others so far.
 */
final class ConnectionCount {
  private final int openMax;
  private final AtomicInteger open = new AtomicInteger();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder evictedAtNodeLimit = new LongAdder();
  private final LongAdder evictedAtAddressLimit = new LongAdder();
  private final EvictableConnections unproven;
  private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();

  /**
   * @param unprovenPerAddressMax 0 is no limit
   */
  ConnectionCount(int openMax, int unprovenPerAddressMax) {
    this.openMax = openMax;
    this.unproven = new EvictableConnections(unprovenPerAddressMax);
  }

  /** Counts a connection, if need be in place of the unproven one that has been silent longest. */
  boolean tryAcquire() {
    // A refused connection is never counted, or the release of the last one would not see zero.
    if (open.getAndUpdate(count -> count < openMax ? count + 1 : count) >= openMax) {
      Channel silent = unproven.evict();
      if (silent == null) {
        refused.increment();
        return false;
      }
      // Above the limit until the loop of the other one has closed it. Each is chosen only once, so
      // there are never more of these than closes that are under way.
      open.incrementAndGet();
      evictedAtNodeLimit.increment();
      close(silent);
    }
    accepted.increment();
    return true;
  }

  /**
   * Counts an acquired connection to its address until it is removed from {@link #unproven()}; if
   * the address has too many, the one of them that has been silent longest is closed.
   */
  void beginUnproven(Channel connection, AddressBlock address) {
    Channel silent = unproven.add(connection, address);
    if (silent != null) {
      evictedAtAddressLimit.increment();
      close(silent);
    }
  }

  /** Closes a connection on its own loop, which may have more to do before. */
  private static void close(Channel silent) {
    silent.pipeline().fireUserEventTriggered(ConnectionEvent.GIVE_WAY);
  }

  /** Returns the connections that have not proved a key. */
  EvictableConnections unproven() {
    return unproven;
  }

  void release() {
    open.decrementAndGet();
    completeIfNone();
  }

  /** Returns a stage that completes when every connection is closed and its handlers are done. */
  CompletionStage<Void> whenNone() {
    CompletableFuture<Void> none = new CompletableFuture<>();
    waiting.add(none);
    completeIfNone();
    return none;
  }

  // The caller that sees zero empties the queue; a waiter that is added later checks by itself.
  private void completeIfNone() {
    while (open.get() == 0) {
      CompletableFuture<Void> waiter = waiting.poll();
      if (waiter == null) {
        return;
      }
      waiter.complete(null);
    }
  }

  int open() {
    return open.get();
  }

  long accepted() {
    return accepted.sum();
  }

  long refused() {
    return refused.sum();
  }

  long evictedAtNodeLimit() {
    return evictedAtNodeLimit.sum();
  }

  long evictedAtAddressLimit() {
    return evictedAtAddressLimit.sum();
  }
}
