package dev.tollgate.server.ops;

import dev.tollgate.server.metrics.LimitFamily;
import dev.tollgate.server.metrics.Metrics;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;

/** Counters and latency of calls to Redis for shared limits. Thread safe. */
public final class RedisMetrics {
  private static final double[] BOUNDS = {.0002, .0005, .001, .002, .005, .01, .02, .05, .1, 1};

  private final DistributionDataPoint calls;
  private final Counter failures;

  public RedisMetrics(Metrics metrics) {
    calls = metrics.histogram(LimitFamily.REDIS_CALL, BOUNDS).labelValues();
    failures = metrics.counter(LimitFamily.REDIS_FAILURES);
  }

  /** Counts a call for a request's limits that was answered. */
  public void answered(long nanos) {
    calls.observe(nanos / 1e9);
  }

  /** Counts a call that failed. */
  public void failed(String reason) {
    failures.labelValues(reason).inc();
  }
}
