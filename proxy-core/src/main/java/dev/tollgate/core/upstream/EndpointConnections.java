package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.EndpointIdentity;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Count of the connections to one provider endpoint over the pools of all loops. Shared and
 * lock-free.
 */
final class EndpointConnections {
  private static final Logger LOG = LoggerFactory.getLogger(EndpointConnections.class);

  private final EndpointIdentity endpoint;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger leased = new AtomicInteger();
  private final AtomicInteger pending = new AtomicInteger();
  private final AtomicLong unsolicited = new AtomicLong();
  private final List<EndpointPool> pools = new CopyOnWriteArrayList<>();
  private volatile boolean retired;

  EndpointConnections(EndpointIdentity endpoint) {
    this.endpoint = endpoint;
  }

  EndpointIdentity endpoint() {
    return endpoint;
  }

  AtomicInteger leased() {
    return leased;
  }

  AtomicInteger pending() {
    return pending;
  }

  int open() {
    return open.get();
  }

  /** Returns how many times unsolicited bytes arrived: bytes that belong to no request. */
  long unsolicited() {
    return unsolicited.get();
  }

  /**
   * Counts an arrival of unsolicited bytes; logged at each power of two, since such a provider does
   * it on every connection.
   */
  void unsolicitedBytesReceived() {
    long times = unsolicited.incrementAndGet();
    if (Long.bitCount(times) == 1) {
      LOG.warn("{} sent bytes that no request asked for ({} so far)", endpoint, times);
    }
  }

  void addPool(EndpointPool pool) {
    pools.add(pool);
  }

  /** Counts one more connection. Returns false if the limit is reached. */
  boolean tryOpen(int connectionsMax) {
    while (true) {
      int now = open.get();
      if (now >= connectionsMax) {
        return false;
      }
      if (open.compareAndSet(now, now + 1)) {
        return true;
      }
    }
  }

  boolean tryWait(int pendingMax) {
    if (pending.incrementAndGet() <= pendingMax) {
      return true;
    }
    pending.decrementAndGet();
    return false;
  }

  /** Counts a closed connection: a loop with waiters may open another one. */
  void closed() {
    open.decrementAndGet();
    for (EndpointPool pool : pools) {
      pool.connectionSlotFreed();
    }
  }

  /** Makes the loop with the most idle connections close one, so that another loop can open one. */
  void reclaimIdle() {
    EndpointPool mostIdle = null;
    for (EndpointPool pool : pools) {
      if (pool.idleCount() > 0 && (mostIdle == null || pool.idleCount() > mostIdle.idleCount())) {
        mostIdle = pool;
      }
    }
    if (mostIdle != null) {
      mostIdle.closeOneIdle();
    }
  }

  /** Closes idle connections on all loops; leased ones are closed when they are returned. */
  void retire() {
    retired = true;
    pools.forEach(EndpointPool::retire);
  }

  /**
   * Keeps connections again, since a snapshot names the endpoint; a request that began before
   * cannot do so.
   */
  void revive() {
    retired = false;
  }

  boolean isRetired() {
    return retired;
  }
}
