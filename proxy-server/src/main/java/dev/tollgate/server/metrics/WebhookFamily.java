package dev.tollgate.server.metrics;

import static dev.tollgate.server.metrics.MetricDescriptor.counter;
import static dev.tollgate.server.metrics.MetricDescriptor.gauge;
import static dev.tollgate.server.metrics.MetricDescriptor.histogram;

/** Metric definitions of webhooks that announce finished jobs. */
public enum WebhookFamily implements MetricFamily {
  WEBHOOK_ATTEMPTS(
      counter(
          "tollgate_webhook_attempts_total",
          "Attempts to deliver a webhook, by outcome.",
          "outcome")),
  WEBHOOK_DELIVERIES(
      counter(
          "tollgate_webhook_deliveries_total",
          "Webhooks that ended: delivered, gone or failed.",
          "outcome")),
  WEBHOOK_ATTEMPT_DURATION(
      histogram(
          "tollgate_webhook_attempt_seconds",
          "From the DNS look-up of a receiver to its reply or to the failure.")),
  WEBHOOK_DELAY(
      histogram(
          "tollgate_webhook_first_attempt_delay_seconds",
          "From the end of a job to the first attempt to deliver its webhook.")),
  WEBHOOKS_IN_FLIGHT(gauge("tollgate_webhooks_in_flight", "Webhook attempts in flight.")),
  WEBHOOKS_PENDING(
      gauge(
          "tollgate_webhooks_pending",
          "Webhooks of all nodes that have not ended, at the last count.")),
  WEBHOOKS_OVERDUE(
      gauge(
          "tollgate_webhooks_overdue_seconds",
          "Delay of the oldest due attempt of all nodes, at the last count.")),
  WEBHOOKS_LOCKED(
      gauge(
          "tollgate_webhooks_locked",
          "Overdue webhooks that cannot be signed, by cause, at the last count.",
          "cause"));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final MetricDescriptor descriptor;

  WebhookFamily(MetricDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  @Override
  public MetricDescriptor descriptor() {
    return descriptor;
  }
}
