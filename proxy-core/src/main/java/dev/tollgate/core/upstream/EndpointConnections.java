package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.EndpointIdentity;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the connections to one endpoint over all loops; shared and lock-free. */
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

  /** Connections that were closed because bytes came on them that no request had asked for. */
  long unsolicited() {
    return unsolicited.get();
  }

  /** One more; told at each power of two, for who does it once does it on every connection. */
  void unsolicitedBytesReceived() {
    long times = unsolicited.incrementAndGet();
    if (Long.bitCount(times) == 1) {
      LOG.warn("{} sent bytes that no request asked for ({} so far)", endpoint, times);
    }
  }

  void addPool(EndpointPool pool) {
    pools.add(pool);
  }

  /** Takes the right to open one connection, or says that the cap is reached. */
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

  /** A connection is gone: a loop with waiters may open one in its place. */
  void closed() {
    open.decrementAndGet();
    for (EndpointPool pool : pools) {
      pool.connectionSlotFreed();
    }
  }

  /** Asks the loop with the most idle connections to close one, so that another loop can open. */
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

  /** Closes what is idle everywhere; leased connections close when they come back. */
  void retire() {
    retired = true;
    pools.forEach(EndpointPool::retire);
  }

  /** A snapshot names the endpoint again; a request that began before cannot bring it back. */
  void revive() {
    retired = false;
  }

  boolean isRetired() {
    return retired;
  }
}
