package dev.tollgate.server.ops;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The registry of this node's numbers. What happens often is counted through a pre-resolved point;
 * what is a state is asked of its owner when Prometheus comes.
 */
public final class Metrics {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final ExpositionFormats formats = ExpositionFormats.init();
  private final AtomicBoolean jvmPending = new AtomicBoolean();

  /** A counter whose points its owner increments. */
  Counter counter(MetricFamily family) {
    return Counter.builder()
        .name(family.metric())
        .help(family.help())
        .labelNames(labels(family))
        .withoutExemplars()
        .register(registry);
  }

  /** A histogram with these upper bounds, in seconds. */
  Histogram histogram(MetricFamily family, double... upperBounds) {
    return Histogram.builder()
        .name(family.metric())
        .help(family.help())
        .labelNames(labels(family))
        .classicOnly()
        .classicUpperBounds(upperBounds)
        .withoutExemplars()
        .register(registry);
  }

  /** A number that its owner counts and that is read at scrape time. */
  public void counter(MetricFamily family, LongSupplier total) {
    CounterWithCallback.builder()
        .name(family.metric())
        .help(family.help())
        .callback(to -> to.call((double) total.getAsLong()))
        .register(registry);
  }

  /** A state that is read at scrape time. */
  public void gauge(MetricFamily family, DoubleSupplier state) {
    GaugeWithCallback.builder()
        .name(family.metric())
        .help(family.help())
        .callback(to -> to.call(state.getAsDouble()))
        .register(registry);
  }

  /** States by the value of the family's one label, read at scrape time. */
  public void gauges(
      MetricFamily family, Supplier<? extends Map<String, ? extends Number>> states) {
    GaugeWithCallback.builder()
        .name(family.metric())
        .help(family.help())
        .labelNames(labels(family))
        .callback(to -> states.get().forEach((label, state) -> to.call(state.doubleValue(), label)))
        .register(registry);
  }

  /** Numbers that their owners count, by the values of the family's labels. */
  public void counters(MetricFamily family, Supplier<Map<List<String>, Long>> totals) {
    CounterWithCallback.builder()
        .name(family.metric())
        .help(family.help())
        .labelNames(labels(family))
        .callback(
            to ->
                totals
                    .get()
                    .forEach((values, total) -> to.call(total, values.toArray(String[]::new))))
        .register(registry);
  }

  /** What the allocator holds of direct and heap memory. */
  public void buffers(ByteBufAllocator allocator) {
    if (allocator instanceof ByteBufAllocatorMetricProvider provider) {
      var memory = provider.metric();
      gauges(
          MetricFamily.BUFFER_BYTES,
          () -> Map.of("direct", memory.usedDirectMemory(), "heap", memory.usedHeapMemory()));
    }
  }

  /**
   * Shows heap, garbage collection, threads and classes of the JVM. They are looked up with the
   * first scrape: that takes a third of a second, which no start should wait for.
   */
  public void jvm() {
    jvmPending.set(true);
  }

  /** All numbers as text: OpenMetrics where {@code accept} asks for it. Blocks on the owners. */
  public Exposition scrape(@Nullable String accept) throws IOException {
    if (jvmPending.getAndSet(false)) {
      JvmMetrics.builder().register(registry);
    }
    var writer = formats.findWriter(accept);
    var bytes = new ByteArrayOutputStream(64 * 1024);
    writer.write(bytes, registry.scrape());
    return new Exposition(writer.getContentType(), bytes.toString(StandardCharsets.UTF_8));
  }

  MetricSnapshots snapshot() {
    return registry.scrape();
  }

  private static String[] labels(MetricFamily family) {
    return family.labels().toArray(String[]::new);
  }

  /** A rendered scrape. */
  public record Exposition(String contentType, String text) {}
}
