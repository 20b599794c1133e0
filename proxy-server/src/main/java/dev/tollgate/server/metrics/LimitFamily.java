package dev.tollgate.server.metrics;

import static dev.tollgate.server.metrics.MetricDescriptor.counter;
import static dev.tollgate.server.metrics.MetricDescriptor.gauge;
import static dev.tollgate.server.metrics.MetricDescriptor.histogram;

/**
 * Metric definitions of rate and concurrency limits, and of Redis, which counts them for all nodes.
 */
public enum LimitFamily implements MetricFamily {
  LIMIT_REFUSALS(
      counter(
          "tollgate_limit_refusals_total",
          "Requests refused by a rate, token or concurrency limit, or, with scope refusals, because"
              + " too many were refused; service_unavailable: the limit could not be counted.",
          "code",
          "scope")),
  FALLBACKS_SKIPPED_BY_LIMIT(
      counter(
          "tollgate_fallbacks_skipped_by_limit_total",
          "Fallback models skipped because of their own limit.",
          "model",
          "code")),
  LIMIT_SLOTS(
      gauge(
          "tollgate_limit_slots_in_use", "Requests in flight whose key has a concurrency limit.")),
  LIMIT_BUCKETS(
      gauge(
          "tollgate_limit_buckets",
          "Token buckets of keys, organizations and models in this node's memory.")),
  REFUSAL_BUCKETS(
      gauge("tollgate_refusal_buckets", "API keys whose refused requests this node counts.")),
  REDIS_CALL(
      histogram(
          "tollgate_redis_call_seconds",
          "From a call of Redis for the limits of a request to its reply.")),
  REDIS_FAILURES(
      counter("tollgate_redis_failures_total", "Calls of Redis that failed, by reason.", "reason")),
  REDIS_UP(gauge("tollgate_redis_up", "1 while Redis is used, 0 while it is only probed.")),
  REDIS_WAITING(gauge("tollgate_redis_calls_waiting", "Calls that wait for a reply of Redis."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final MetricDescriptor descriptor;

  LimitFamily(MetricDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  @Override
  public MetricDescriptor descriptor() {
    return descriptor;
  }
}
