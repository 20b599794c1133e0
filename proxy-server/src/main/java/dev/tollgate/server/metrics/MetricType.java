package dev.tollgate.server.metrics;

/** Prometheus type of a {@link MetricFamily}: counter, gauge or histogram. */
public enum MetricType {
  COUNTER,
  GAUGE,
  HISTOGRAM
}
