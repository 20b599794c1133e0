package dev.tollgate.server.postgres.session;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Connection pools beside a store's first one, for work that charges must not wait for. A fixed
 * number of parts opens one each.
 */
public final class ExtraPools implements AutoCloseable {
  private final DatabaseAddress address;
  private final StoreOptions options;
  private final List<HikariDataSource> pools = new CopyOnWriteArrayList<>();

  public ExtraPools(DatabaseAddress address, StoreOptions options) {
    this.address = address;
    this.options = options;
  }

  /** Number of connections in use in a pool, and of threads that wait for one. */
  public record PoolStats(int inUse, int waiting) {}

  /** Opens a pool on demand, whose threads have the name as their prefix. */
  public HikariDataSource open(String name, int connections) {
    return added(ConnectionPool.openOnDemand(name, address, options.withPoolMax(connections)));
  }

  /** Opens the pool of the control plane. */
  public HikariDataSource openForControl(int connections) {
    return added(ConnectionPool.openForControl(address, options.withPoolMax(connections)));
  }

  private HikariDataSource added(HikariDataSource pool) {
    pools.add(pool);
    return pool;
  }

  /** Returns the figures of all pools and of the first one, by name. */
  public Map<String, PoolStats> stats(HikariDataSource first) {
    Map<String, PoolStats> stats = new TreeMap<>();
    stats.put(first.getPoolName(), statsOf(first));
    pools.forEach(each -> stats.put(each.getPoolName(), statsOf(each)));
    return stats;
  }

  private static PoolStats statsOf(HikariDataSource pool) {
    HikariPoolMXBean now = pool.getHikariPoolMXBean();
    return now == null
        ? new PoolStats(0, 0)
        : new PoolStats(now.getActiveConnections(), now.getThreadsAwaitingConnection());
  }

  @Override
  public void close() {
    pools.forEach(HikariDataSource::close);
  }
}
