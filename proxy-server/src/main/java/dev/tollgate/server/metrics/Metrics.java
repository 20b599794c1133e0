package dev.tollgate.server.metrics;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.SummaryWithCallback;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Registry of the node's Prometheus metrics. Frequent events are counted through pre-resolved data
 * points; the value of a state is read from its owner when Prometheus scrapes.
 */
public final class Metrics {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final ExpositionFormats formats = ExpositionFormats.init();
  private final AtomicBoolean jvmPending = new AtomicBoolean();
  private final Map<MetricFamily, Map<String, DoubleSupplier>> shared = new ConcurrentHashMap<>();

  /** Registers a counter that its owner increments. */
  public Counter counter(MetricFamily family) {
    return Counter.builder()
        .name(family.metric())
        .help(family.help())
        .labelNames(labels(family))
        .withoutExemplars()
        .register(registry);
  }

  /** Registers a histogram with these upper bounds, in seconds. */
  public Histogram histogram(MetricFamily family, double... upperBounds) {
    return Histogram.builder()
        .name(family.metric())
        .help(family.help())
        .labelNames(labels(family))
        .classicOnly()
        .classicUpperBounds(upperBounds)
        .withoutExemplars()
        .register(registry);
  }

  /** Registers a counter that its owner counts; its total is read at scrape time. */
  public void counter(MetricFamily family, LongSupplier total) {
    CounterWithCallback.builder()
        .name(family.metric())
        .help(family.help())
        .callback(to -> to.call((double) total.getAsLong()))
        .register(registry);
  }

  /** Registers a gauge that is read at scrape time. */
  public void gauge(MetricFamily family, DoubleSupplier state) {
    GaugeWithCallback.builder()
        .name(family.metric())
        .help(family.help())
        .callback(to -> to.call(state.getAsDouble()))
        .register(registry);
  }

  /** Registers gauges by the value of the family's only label, read at scrape time. */
  public void gauges(
      MetricFamily family, Supplier<? extends Map<String, ? extends Number>> states) {
    GaugeWithCallback.builder()
        .name(family.metric())
        .help(family.help())
        .labelNames(labels(family))
        .callback(to -> states.get().forEach((label, state) -> to.call(state.doubleValue(), label)))
        .register(registry);
  }

  /** Registers the gauge of one value of the family's only label; the others have other owners. */
  public void gauge(MetricFamily family, String label, DoubleSupplier state) {
    shared.computeIfAbsent(family, this::sharedGauge).put(label, state);
  }

  private Map<String, DoubleSupplier> sharedGauge(MetricFamily family) {
    Map<String, DoubleSupplier> states = new ConcurrentSkipListMap<>();
    GaugeWithCallback.builder()
        .name(family.metric())
        .help(family.help())
        .labelNames(labels(family))
        .callback(to -> states.forEach((label, state) -> to.call(state.getAsDouble(), label)))
        .register(registry);
    return states;
  }

  /** Registers counters by the values of the family's labels, read at scrape time. */
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

  /** Registers distributions by the value of the family's only label, read at scrape time. */
  void summaries(MetricFamily family, Supplier<Map<String, Distribution>> states) {
    SummaryWithCallback.builder()
        .name(family.metric())
        .help(family.help())
        .labelNames(labels(family))
        .callback(
            to ->
                states
                    .get()
                    .forEach(
                        (label, state) -> to.call(state.count, Double.NaN, state.quantiles, label)))
        .register(registry);
  }

  /** Distribution of durations in seconds; its count is that of all times. */
  record Distribution(long count, Quantiles quantiles) {}

  /** Registers the direct and heap memory that the allocator has reserved. */
  public void buffers(ByteBufAllocator allocator) {
    if (allocator instanceof ByteBufAllocatorMetricProvider provider) {
      var memory = provider.metric();
      gauges(
          ProcessFamily.BUFFER_BYTES,
          () -> Map.of("direct", memory.usedDirectMemory(), "heap", memory.usedHeapMemory()));
    }
  }

  /**
   * Adds the metrics of the JVM: heap, garbage collection, threads and classes. They are registered
   * with the first scrape, because that takes a third of a second, which would delay the start.
   */
  public void jvm() {
    jvmPending.set(true);
  }

  /** Returns all metrics as text, as OpenMetrics if {@code accept} asks for it. Calls block. */
  public Exposition scrape(@Nullable String accept) throws IOException {
    if (jvmPending.getAndSet(false)) {
      JvmMetrics.builder().register(registry);
    }
    var writer = formats.findWriter(accept);
    var bytes = new ByteArrayOutputStream(64 * 1024);
    writer.write(bytes, registry.scrape());
    return new Exposition(writer.getContentType(), bytes.toString(StandardCharsets.UTF_8));
  }

  /** Returns the current values of all metrics. */
  public MetricSnapshots snapshot() {
    return registry.scrape();
  }

  private static String[] labels(MetricFamily family) {
    return family.labels().toArray(String[]::new);
  }

  /** All metrics as text, with its content type, for the reply to a scrape. */
  public record Exposition(String contentType, String text) {}
}
