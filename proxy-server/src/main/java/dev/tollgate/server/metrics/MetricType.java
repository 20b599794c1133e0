package dev.tollgate.server.metrics;

/** Prometheus type of a {@link MetricFamily}. */
public enum MetricType {
  COUNTER,
  GAUGE,
  HISTOGRAM
}
