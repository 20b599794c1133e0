package dev.tollgate.bench;

import org.HdrHistogram.Histogram;

/**
 * Percentiles of a latency that the report contains, in nanoseconds; all are zero if nothing was
 * recorded.
 */
record Percentiles(long p50Nanos, long p90Nanos, long p99Nanos, long p999Nanos) {
  static Percentiles of(Histogram nanos) {
    return new Percentiles(
        nanos.getValueAtPercentile(50),
        nanos.getValueAtPercentile(90),
        nanos.getValueAtPercentile(99),
        nanos.getValueAtPercentile(99.9));
  }

  /** Returns each percentile minus the same percentile of {@code other}. */
  Percentiles minus(Percentiles other) {
    return new Percentiles(
        p50Nanos - other.p50Nanos,
        p90Nanos - other.p90Nanos,
        p99Nanos - other.p99Nanos,
        p999Nanos - other.p999Nanos);
  }
}
