package dev.tollgate.server.ops;

import dev.tollgate.core.webhook.WebhookObserver;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.WebhookFamily;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import java.time.Duration;

/** Observer that counts webhook deliveries to receivers. Thread safe. */
public final class WebhookMetrics implements WebhookObserver {
  private static final double NANOS = 1e9;
  private static final double[] ATTEMPT = {.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15, 30};
  private static final double[] DELAY = {.1, .25, .5, .75, 1, 1.5, 2, 5, 10, 30, 60, 300};

  private final Counter attempts;
  private final Counter deliveries;
  private final DistributionDataPoint durations;
  private final DistributionDataPoint delays;

  public WebhookMetrics(Metrics metrics) {
    attempts = metrics.counter(WebhookFamily.WEBHOOK_ATTEMPTS);
    deliveries = metrics.counter(WebhookFamily.WEBHOOK_DELIVERIES);
    durations = metrics.histogram(WebhookFamily.WEBHOOK_ATTEMPT_DURATION, ATTEMPT).labelValues();
    delays = metrics.histogram(WebhookFamily.WEBHOOK_DELAY, DELAY).labelValues();
  }

  @Override
  public void began(Duration age) {
    delays.observe(age.toNanos() / NANOS);
  }

  @Override
  public void attempted(String outcome, Duration took) {
    attempts.labelValues(outcome).inc();
    durations.observe(took.toNanos() / NANOS);
  }

  @Override
  public void ended(String how) {
    deliveries.labelValues(how).inc();
  }
}
