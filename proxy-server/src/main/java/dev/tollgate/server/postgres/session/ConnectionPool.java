package dev.tollgate.server.postgres.session;

import com.codahale.metrics.MetricRegistry;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import java.time.Duration;

/**
 * Factory of the JDBC connection pool that serves requests. Its sessions have short timeouts: one
 * lock, statement or transaction that hangs must not hold up the others.
 */
public final class ConnectionPool {
  static final String SESSION =
      "SET lock_timeout = '2s';"
          + "SET statement_timeout = '10s';"
          + "SET idle_in_transaction_session_timeout = '5s';"
          + "SET tcp_user_timeout = '5s';"
          + "SET client_connection_check_interval = '1s';"
          // A crash never undoes a grant or a settlement, whatever the server's default is; a
          // stricter setting, such as a remote standby's, is kept.
          + "SELECT set_config('synchronous_commit', 'on', false)"
          + " WHERE current_setting('synchronous_commit') = 'off'";

  private static final Duration IDLE = Duration.ofSeconds(30);
  private static final Duration CONTROL_WAIT = Duration.ofSeconds(1);
  private static final Duration CONTROL_VALIDATION = Duration.ofMillis(500);

  private ConnectionPool() {}

  public static HikariDataSource open(DatabaseAddress address, StoreOptions options) {
    return new HikariDataSource(config("store", address, options));
  }

  /**
   * Opens a second pool on a database that may be down at the moment. It keeps no idle connections:
   * many nodes share those of a database.
   *
   * @param name the prefix of its threads' names
   */
  public static HikariDataSource openOnDemand(
      String name, DatabaseAddress address, StoreOptions options) {
    HikariConfig config = config(name, address, options);
    config.setInitializationFailTimeout(-1);
    config.setMinimumIdle(0);
    config.setIdleTimeout(IDLE.toMillis());
    return new HikariDataSource(config);
  }

  /**
   * Opens the pool of the control plane, which gives up sooner than requests do: people wait for
   * it, and it must hold up nothing. A call that has a connection when the store falls silent is
   * refused after the socket's timeout, others after that of the pool: all within 5 s.
   */
  public static HikariDataSource openForControl(DatabaseAddress address, StoreOptions options) {
    HikariConfig config = config("control", address, options);
    config.setInitializationFailTimeout(-1);
    config.setMinimumIdle(0);
    config.setIdleTimeout(IDLE.toMillis());
    config.setConnectionTimeout(CONTROL_WAIT.toMillis());
    config.setValidationTimeout(CONTROL_VALIDATION.toMillis());
    config.setConnectionInitSql(
        SESSION + "; SET lock_timeout = '1s'; SET statement_timeout = '3s'");
    config.addDataSourceProperty("socketTimeout", "4"); // seconds
    return new HikariDataSource(config);
  }

  private static HikariConfig config(String name, DatabaseAddress address, StoreOptions options) {
    HikariConfig config = new HikariConfig();
    config.setPoolName(name);
    config.setMetricRegistry(new MetricRegistry());
    config.setJdbcUrl(address.url());
    config.setUsername(address.username());
    Secret password = address.password();
    config.setPassword(password == null ? null : password.reveal());
    config.setMaximumPoolSize(options.poolMax());
    config.setMinimumIdle(Math.min(2, options.poolMax()));
    config.setConnectionTimeout(options.poolTimeout().toMillis());
    config.setValidationTimeout(Math.max(250, Math.min(1_000, options.poolTimeout().toMillis())));
    config.setConnectionInitSql(SESSION);
    // Seconds. The socket's timeout is longer than the statement's, so that the server reports
    // first.
    config.addDataSourceProperty("currentSchema", Migrations.SCHEMA);
    config.addDataSourceProperty("ApplicationName", "tollgate");
    config.addDataSourceProperty("tcpKeepAlive", "true");
    config.addDataSourceProperty("connectTimeout", "2");
    config.addDataSourceProperty("socketTimeout", "12");
    return config;
  }
}
