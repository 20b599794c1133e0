package dev.tollgate.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.zaxxer.hikari.metrics.IMetricsTracker;
import com.zaxxer.hikari.metrics.PoolStats;
import com.zaxxer.hikari.metrics.dropwizard.CodahaleMetricsTrackerFactory;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What HikariCP's own tracker recorded, as Prometheus reads it. */
final class PoolMetricsTest {
  private final MetricRegistry store = new MetricRegistry();
  private final MetricRegistry jobs = new MetricRegistry();
  private final Metrics metrics = new Metrics();

  private static final class Figures extends PoolStats {
    Figures() {
      super(1_000);
    }

    @Override
    protected void update() {
      totalConnections = 5;
      activeConnections = 3;
      idleConnections = 2;
      pendingThreads = 7;
    }
  }

  private static IMetricsTracker tracker(String pool, MetricRegistry registry) {
    return new CodahaleMetricsTrackerFactory(registry).create(pool, new Figures());
  }

  @Test
  void eachPoolHasItsFigures() throws Exception {
    new PoolMetrics(() -> Map.of("store", store, "jobs", jobs)).register(metrics);
    IMetricsTracker ofStore = tracker("store", store);
    IMetricsTracker ofJobs = tracker("jobs", jobs);
    ofStore.recordConnectionAcquiredNanos(2_000_000);
    ofStore.recordConnectionAcquiredNanos(2_000_000);
    ofStore.recordConnectionUsageMillis(40);
    ofStore.recordConnectionCreatedMillis(11);
    ofJobs.recordConnectionTimeout();

    assertThat(metrics.scrape(null).text())
        .contains(
            "hikaricp_connections{pool=\"store\"} 5.0",
            "hikaricp_connections_active{pool=\"store\"} 3.0",
            "hikaricp_connections_idle{pool=\"store\"} 2.0",
            "hikaricp_connections_pending{pool=\"jobs\"} 7.0",
            "# TYPE hikaricp_connections_timeout_total counter",
            "hikaricp_connections_timeout_total{pool=\"store\"} 0.0",
            "hikaricp_connections_timeout_total{pool=\"jobs\"} 1.0",
            "# TYPE hikaricp_connections_acquire_seconds summary",
            "hikaricp_connections_acquire_seconds{pool=\"store\",quantile=\"0.99\"} 0.002",
            "hikaricp_connections_acquire_seconds_count{pool=\"store\"} 2",
            "hikaricp_connections_acquire_seconds_count{pool=\"jobs\"} 0",
            "hikaricp_connections_usage_seconds{pool=\"store\",quantile=\"1.0\"} 0.04",
            "hikaricp_connections_creation_seconds{pool=\"store\",quantile=\"0.5\"} 0.011");

    ofJobs.close();
    assertThat(metrics.scrape(null).text())
        .contains("pool=\"store\"")
        .doesNotContain("pool=\"jobs\"");
  }
}
