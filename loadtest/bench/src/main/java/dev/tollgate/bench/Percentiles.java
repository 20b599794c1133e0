package dev.tollgate.bench;

import org.HdrHistogram.Histogram;

/** Reported percentiles of a duration, in nanoseconds; all zero if nothing was recorded. */
record Percentiles(long p50Nanos, long p90Nanos, long p99Nanos, long p999Nanos) {
  static Percentiles of(Histogram nanos) {
    return new Percentiles(
        nanos.getValueAtPercentile(50),
        nanos.getValueAtPercentile(90),
        nanos.getValueAtPercentile(99),
        nanos.getValueAtPercentile(99.9));
  }

  /** Each percentile minus the same percentile of {@code other}. */
  Percentiles minus(Percentiles other) {
    return new Percentiles(
        p50Nanos - other.p50Nanos,
        p90Nanos - other.p90Nanos,
        p99Nanos - other.p99Nanos,
        p999Nanos - other.p999Nanos);
  }
}
