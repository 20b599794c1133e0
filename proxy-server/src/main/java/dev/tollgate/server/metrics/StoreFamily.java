package dev.tollgate.server.metrics;

import static dev.tollgate.server.metrics.MetricDescriptor.counter;
import static dev.tollgate.server.metrics.MetricDescriptor.gauge;
import static dev.tollgate.server.metrics.MetricDescriptor.summary;

/** Metric definitions of database connections, and of the API keys cached from the database. */
public enum StoreFamily implements MetricFamily {
  POOL_CONNECTIONS(gauge("hikaricp_connections", "Database connections of a pool.", "pool")),
  POOL_ACTIVE(gauge("hikaricp_connections_active", "Database connections in use.", "pool")),
  POOL_IDLE(gauge("hikaricp_connections_idle", "Database connections not in use.", "pool")),
  POOL_PENDING(
      gauge(
          "hikaricp_connections_pending", "Threads that wait for a database connection.", "pool")),
  POOL_TIMEOUTS(
      counter(
          "hikaricp_connections_timeout_total",
          "Waits for a database connection that ended without one.",
          "pool")),
  POOL_ACQUIRE(
      summary(
          "hikaricp_connections_acquire_seconds",
          "Time until a thread had a database connection, over the last minutes.",
          "pool")),
  POOL_USAGE(
      summary(
          "hikaricp_connections_usage_seconds",
          "Time for which a database connection was in use, over the last minutes.",
          "pool")),
  POOL_CREATION(
      summary(
          "hikaricp_connections_creation_seconds",
          "Time to open a database connection, over the last minutes.",
          "pool")),
  STORE_FAILING(
      gauge(
          "tollgate_store_failing",
          "1 while the calls of a component of this node to the store fail.",
          "component")),
  AUTH_CACHE_KEYS(gauge("tollgate_auth_cache_keys", "API keys in the authentication cache.")),
  AUTH_LOOK_UPS(gauge("tollgate_auth_lookups", "Key look-ups in the store that are in flight.")),
  AUTH_KEY_IDS(gauge("tollgate_auth_key_ids", "Ids of all API keys of the store, in memory.")),
  AUTH_CALLERS(
      gauge(
          "tollgate_auth_callers",
          "Callers without a known key whose look-ups are counted: addresses, and addresses with a"
              + " key id.")),
  OFFLOAD_DEPTH(gauge("tollgate_offload_queue_depth", "Blocking tasks that wait for a thread.")),
  OFFLOAD_REFUSED(
      counter(
          "tollgate_offload_refused_total",
          "Blocking tasks refused: full queue or deadline passed."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final MetricDescriptor descriptor;

  StoreFamily(MetricDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  @Override
  public MetricDescriptor descriptor() {
    return descriptor;
  }
}
