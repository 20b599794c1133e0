package dev.tollgate.server.ops;

/** What the numbers of a {@link MetricFamily} are. */
public enum MetricType {
  COUNTER,
  GAUGE,
  HISTOGRAM
}
