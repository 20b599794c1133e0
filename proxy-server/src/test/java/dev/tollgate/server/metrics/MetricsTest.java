package dev.tollgate.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class MetricsTest {
  private final Metrics metrics = new Metrics();

  @Test
  void statesAreReadAtScrapeTime() throws IOException {
    var open = new AtomicLong(3);
    metrics.gauge(RequestFamily.CONNECTIONS, open::get);
    metrics.gauges(ProviderFamily.UPSTREAM_LEASES, () -> Map.of("openai", open.get() * 2));
    metrics.counter(StoreFamily.OFFLOAD_REFUSED, open::get);
    open.set(5);

    assertThat(metrics.scrape(null).text())
        .contains(
            "tollgate_connections 5.0",
            "tollgate_upstream_leases{provider=\"openai\"} 10.0",
            "# TYPE tollgate_offload_refused_total counter",
            "tollgate_offload_refused_total 5.0");
  }

  @Test
  void memoryOfTheAllocatorIsShown() throws IOException {
    metrics.buffers(new PooledByteBufAllocator());

    assertThat(metrics.scrape(null).text())
        .contains("tollgate_buffer_bytes{kind=\"direct\"}", "tollgate_buffer_bytes{kind=\"heap\"}");
  }

  @Test
  void openMetricsIsServedIfAccepted() throws IOException {
    metrics.gauge(ProcessFamily.READY, () -> 1);

    assertThat(metrics.scrape(null).contentType()).startsWith("text/plain");
    assertThat(metrics.scrape("application/openmetrics-text; version=1.0.0").text())
        .endsWith("# EOF\n");
  }

  @Test
  void theJvmIsShown() throws IOException {
    metrics.jvm();

    assertThat(metrics.scrape(null).text()).contains("jvm_memory_used_bytes", "jvm_gc");
  }
}
