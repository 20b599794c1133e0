package dev.tollgate.server.postgres.session;

import com.codahale.metrics.MetricRegistry;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import dev.tollgate.server.postgres.embedded.StoreException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

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

  /** Returns the instruments of all pools by the pool's name. */
  public Map<String, MetricRegistry> instruments() {
    return pools.stream()
        .collect(
            Collectors.toMap(
                HikariDataSource::getPoolName,
                pool -> (MetricRegistry) pool.getMetricRegistry(),
                (_, later) -> later,
                TreeMap::new));
  }

  @Override
  public void close() {
    pools.reversed().forEach(HikariDataSource::close);
  }
}
