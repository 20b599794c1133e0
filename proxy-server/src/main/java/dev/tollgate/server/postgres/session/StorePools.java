package dev.tollgate.server.postgres.session;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import dev.tollgate.server.postgres.embedded.StoreException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Connection pools of a store: the first one, and those for work that charges must not wait for. A
 * fixed number of parts opens one each.
 */
public final class StorePools implements AutoCloseable {
  private final DatabaseAddress address;
  private final StoreOptions options;
  private final List<HikariDataSource> pools = new CopyOnWriteArrayList<>();

  public StorePools(DatabaseAddress address, StoreOptions options) {
    this.address = address;
    this.options = options;
  }

  /** Number of connections in use in a pool, and of threads that wait for one. */
  public record PoolStats(int inUse, int waiting) {}

  /** Opens the first pool, on a database that answers. */
  public HikariDataSource openFirst() throws StoreException {
    try {
      return added(ConnectionPool.open(address, options));
    } catch (PoolInitializationException e) {
      throw new StoreException("the database refuses connections", e);
    }
  }

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

  /** Returns the figures of all pools by name. */
  public Map<String, PoolStats> stats() {
    Map<String, PoolStats> stats = new TreeMap<>();
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
    pools.reversed().forEach(HikariDataSource::close);
  }
}
