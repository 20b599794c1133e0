package dev.tollgate.server.metrics;

import java.util.List;

/** Prometheus name, type, help text and label names of a {@link MetricFamily}. */
public record MetricDescriptor(MetricType type, String metric, String help, List<String> labels) {
  public MetricDescriptor {
    labels = List.copyOf(labels);
  }

  static MetricDescriptor counter(String metric, String help, String... labels) {
    return new MetricDescriptor(MetricType.COUNTER, metric, help, List.of(labels));
  }

  static MetricDescriptor gauge(String metric, String help, String... labels) {
    return new MetricDescriptor(MetricType.GAUGE, metric, help, List.of(labels));
  }

  static MetricDescriptor histogram(String metric, String help, String... labels) {
    return new MetricDescriptor(MetricType.HISTOGRAM, metric, help, List.of(labels));
  }

  static MetricDescriptor summary(String metric, String help, String... labels) {
    return new MetricDescriptor(MetricType.SUMMARY, metric, help, List.of(labels));
  }
}
