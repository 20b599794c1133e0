package dev.tollgate.server.metrics;

import static dev.tollgate.server.metrics.MetricDescriptor.counter;
import static dev.tollgate.server.metrics.MetricDescriptor.gauge;

/** Metric definitions of requests that carry an idempotency key. */
public enum IdempotencyFamily implements MetricFamily {
  IDEMPOTENCY_CLAIMS(
      counter(
          "tollgate_idempotency_claims_total",
          "Requests with an idempotency key, by result of the claim.",
          "result")),
  IDEMPOTENCY_RUNNING(
      gauge(
          "tollgate_idempotency_running",
          "Requests with an idempotency key that this node carries out now.")),
  IDEMPOTENCY_QUEUE(
      gauge(
          "tollgate_idempotency_queue_depth",
          "Claims and replies of such requests that wait for a connection to the store.")),
  IDEMPOTENCY_REFUSED(
      counter(
          "tollgate_idempotency_refused_total",
          "Claims and replies refused: the queue was full or the wait too long.")),
  IDEMPOTENCY_STORED_BYTES(
      counter("tollgate_idempotency_stored_bytes_total", "Bytes of replies stored for replay.")),
  IDEMPOTENCY_NOT_KEPT(
      counter(
          "tollgate_idempotency_not_kept_total",
          "Replies not stored because their organization stores too much: a replay is refused.")),
  IDEMPOTENCY_NOT_STORED(
      counter(
          "tollgate_idempotency_not_stored_total",
          "Replies lost because storing them failed: a replay is refused."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final MetricDescriptor descriptor;

  IdempotencyFamily(MetricDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  @Override
  public MetricDescriptor descriptor() {
    return descriptor;
  }
}
