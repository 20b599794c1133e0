package dev.tollgate.server.postgres;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.tollgate.core.tenant.KeyDirectory;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The open store: a migrated database, the pool to it, and what the gateway reads and writes there.
 * Closing it ends the pool and, where the database is embedded, the database.
 */
public final class Store implements AutoCloseable {
  private final HikariDataSource pool;
  private final @Nullable EmbeddedPostgres embedded;
  private final Optional<Bootstrap.Made> bootstrapped;

  private Store(
      HikariDataSource pool,
      @Nullable EmbeddedPostgres embedded,
      Optional<Bootstrap.Made> bootstrapped) {
    this.pool = pool;
    this.embedded = embedded;
    this.bootstrapped = bootstrapped;
  }

  /**
   * Opens the store for the process that owns the data directory: starts an embedded database,
   * migrates, and bootstraps where the database holds no organization.
   */
  public static Store start(
      DataDirLock lock, StoreOptions options, Optional<Bootstrap.Plan> bootstrap)
      throws StoreException {
    if (!options.isEmbedded()) {
      DatabaseAddress address =
          new DatabaseAddress(options.url(), options.username(), options.password());
      return open(address, options, null, bootstrap);
    }
    var circumstances = EmbeddedPostgres.Circumstances.usual(options.poolMax() + SPARE_CONNECTIONS);
    EmbeddedPostgres embedded = EmbeddedPostgres.start(lock, circumstances);
    try {
      return open(embedded.address(), options, embedded, bootstrap);
    } catch (StoreException | RuntimeException e) {
      embedded.close();
      throw e;
    }
  }

  /** For the command line, migrations and exports, which connect beside the pool. */
  static final int SPARE_CONNECTIONS = 24;

  static Store open(
      DatabaseAddress address,
      StoreOptions options,
      @Nullable EmbeddedPostgres embedded,
      Optional<Bootstrap.Plan> bootstrap)
      throws StoreException {
    Optional<Bootstrap.Made> made =
        Migrations.locked(
            address,
            connection -> {
              if (options.migrateOnStart()) {
                Migrations.migrate(address);
              } else {
                Migrations.requireCurrent(address);
              }
              return bootstrap.isEmpty()
                  ? Optional.<Bootstrap.Made>empty()
                  : Bootstrap.run(connection, bootstrap.get());
            });
    try {
      return new Store(ConnectionPool.open(address, options), embedded, made);
    } catch (PoolInitializationException e) {
      throw new StoreException("the database refuses connections", e);
    }
  }

  /** What the bootstrap made, if this process was the one that ran it. */
  public Optional<Bootstrap.Made> bootstrapped() {
    return bootstrapped;
  }

  /** How the embedded database came up; empty where it is elsewhere. */
  public Optional<EmbeddedPostgres.Beginning> beginning() {
    return Optional.ofNullable(embedded).map(EmbeddedPostgres::beginning);
  }

  public KeyDirectory keyDirectory() {
    return new PostgresKeyDirectory(pool);
  }

  public KeyChanges keyChanges() {
    return new KeyChanges(pool);
  }

  public Organizations organizations() {
    return new Organizations(pool);
  }

  public ApiKeys apiKeys() {
    return new ApiKeys(pool);
  }

  public Credits credits() {
    return new Credits(pool);
  }

  /** The pool itself, for further ports. */
  public DataSource pool() {
    return pool;
  }

  @Override
  public void close() {
    pool.close();
    if (embedded != null) {
      embedded.close();
    }
  }
}
