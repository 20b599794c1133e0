package dev.tollgate.server.metrics;

import static dev.tollgate.server.metrics.MetricDescriptor.counter;
import static dev.tollgate.server.metrics.MetricDescriptor.gauge;
import static dev.tollgate.server.metrics.MetricDescriptor.histogram;

/** Metric definitions of the request view, which the explorer reads. */
public enum RequestViewFamily implements MetricFamily {
  REQUEST_VIEW_LAG(
      gauge(
          "tollgate_request_view_lag_seconds",
          "Age of the latest write to the request log that the request view may lack.")),
  REQUEST_VIEW_ROWS(
      counter(
          "tollgate_request_view_rows_total", "Rows that this node added to the request view.")),
  REQUEST_VIEW_BATCH(
      histogram(
          "tollgate_request_view_batch_seconds",
          "Duration of a transaction that takes requests over into the request view.")),
  REQUEST_VIEW_MISMATCHES(
      gauge(
          "tollgate_request_view_mismatches",
          "Hours and days whose sums in the request view differed from the charges and that this"
              + " node made anew, since its start."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final MetricDescriptor descriptor;

  RequestViewFamily(MetricDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  @Override
  public MetricDescriptor descriptor() {
    return descriptor;
  }
}
