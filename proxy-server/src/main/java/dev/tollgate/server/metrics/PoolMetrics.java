package dev.tollgate.server.metrics;

import com.codahale.metrics.Counting;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.Metric;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Sampling;
import com.codahale.metrics.Snapshot;
import dev.tollgate.server.metrics.Metrics.Distribution;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.Quantiles;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Collector of what HikariCP measures of its connection pools: it reads their Dropwizard registries
 * when Prometheus scrapes, and names the metrics as Micrometer does.
 */
public final class PoolMetrics {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLIS_PER_SECOND = 1e3;

  private final Supplier<Map<String, MetricRegistry>> pools;

  /**
   * @param pools registries by the names of their pools
   */
  public PoolMetrics(Supplier<Map<String, MetricRegistry>> pools) {
    this.pools = pools;
  }

  public void register(Metrics metrics) {
    gauge(metrics, StoreFamily.POOL_CONNECTIONS, "TotalConnections");
    gauge(metrics, StoreFamily.POOL_ACTIVE, "ActiveConnections");
    gauge(metrics, StoreFamily.POOL_IDLE, "IdleConnections");
    gauge(metrics, StoreFamily.POOL_PENDING, "PendingConnections");
    metrics.counters(
        StoreFamily.POOL_TIMEOUTS,
        () -> {
          Map<List<String>, Long> totals = new LinkedHashMap<>();
          read("ConnectionTimeoutRate", PoolMetrics::count)
              .forEach((pool, total) -> totals.put(List.of(pool), total));
          return totals;
        });
    summary(metrics, StoreFamily.POOL_ACQUIRE, "Wait", NANOS_PER_SECOND);
    summary(metrics, StoreFamily.POOL_USAGE, "Usage", MILLIS_PER_SECOND);
    summary(metrics, StoreFamily.POOL_CREATION, "ConnectionCreation", MILLIS_PER_SECOND);
  }

  private void gauge(Metrics metrics, StoreFamily family, String instrument) {
    metrics.gauges(
        family, () -> read(instrument, metric -> (Integer) ((Gauge<?>) metric).getValue()));
  }

  private void summary(
      Metrics metrics, StoreFamily family, String instrument, double unitsPerSecond) {
    metrics.summaries(
        family, () -> read(instrument, metric -> distribution(metric, unitsPerSecond)));
  }

  /** Reads one instrument of each pool; a pool that is closed has none. */
  private <T> Map<String, T> read(String instrument, Function<Metric, T> figure) {
    Map<String, T> figures = new LinkedHashMap<>();
    pools
        .get()
        .forEach(
            (pool, registry) -> {
              Metric metric =
                  registry.getMetrics().get(MetricRegistry.name(pool, "pool", instrument));
              if (metric != null) {
                figures.put(pool, figure.apply(metric));
              }
            });
    return figures;
  }

  private static long count(Metric metric) {
    return ((Counting) metric).getCount();
  }

  private static Distribution distribution(Metric metric, double unitsPerSecond) {
    Snapshot sampled = ((Sampling) metric).getSnapshot();
    return new Distribution(
        count(metric),
        Quantiles.of(
            new Quantile(0.5, sampled.getMedian() / unitsPerSecond),
            new Quantile(0.95, sampled.get95thPercentile() / unitsPerSecond),
            new Quantile(0.99, sampled.get99thPercentile() / unitsPerSecond),
            new Quantile(1, sampled.getMax() / unitsPerSecond)));
  }
}
