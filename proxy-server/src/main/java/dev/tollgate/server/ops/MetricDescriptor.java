package dev.tollgate.server.ops;

import java.util.List;

/** What is told of a {@link MetricFamily} ahead of its numbers. */
record MetricDescriptor(MetricType type, String metric, String help, List<String> labels) {
  MetricDescriptor {
    labels = List.copyOf(labels);
  }
}
