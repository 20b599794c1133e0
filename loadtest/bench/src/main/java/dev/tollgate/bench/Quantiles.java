package dev.tollgate.bench;

/** How a duration was spread; all zero where nothing was recorded. */
public record Quantiles(
    long count, long p50Nanos, long p90Nanos, long p99Nanos, long p999Nanos, long maxNanos) {

  static Quantiles of(Histogram histogram) {
    return new Quantiles(
        histogram.count(),
        histogram.quantileNanos(0.5),
        histogram.quantileNanos(0.9),
        histogram.quantileNanos(0.99),
        histogram.quantileNanos(0.999),
        histogram.maxNanos());
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** What a gateway added: each percentile through it minus the same percentile without it. */
  record Added(long p50Nanos, long p90Nanos, long p99Nanos, long p999Nanos) {
    static Added between(Quantiles target, Quantiles direct) {
      return new Added(
          target.p50Nanos - direct.p50Nanos,
          target.p90Nanos - direct.p90Nanos,
          target.p99Nanos - direct.p99Nanos,
          target.p999Nanos - direct.p999Nanos);
    }
  }
}
