package dev.tollgate.server.metrics;

/** Prometheus type of a {@link MetricFamily}: counter, gauge, histogram or summary. */
public enum MetricType {
  COUNTER,
  GAUGE,
  HISTOGRAM,
  SUMMARY
}
