package dev.tollgate.server.metrics;

import static dev.tollgate.server.metrics.MetricDescriptor.counter;
import static dev.tollgate.server.metrics.MetricDescriptor.gauge;
import static dev.tollgate.server.metrics.MetricDescriptor.histogram;

/** Metric definitions of stored outputs, and of images fetched from URLs that clients supply. */
public enum OutputFamily implements MetricFamily {
  OUTPUTS_STORED(
      counter(
          "tollgate_outputs_stored_total",
          "Outputs stored for clients, and input images stored for jobs.")),
  OUTPUT_BYTES(counter("tollgate_outputs_stored_bytes_total", "Bytes of stored outputs.")),
  OUTPUT_STORE_DURATION(
      histogram(
          "tollgate_output_store_seconds",
          "From a call of the object storage to store an output to its reply.")),
  OUTPUT_FAILURES(
      counter(
          "tollgate_output_failures_total",
          "Outputs that could not be stored or deleted, by reason.",
          "reason")),
  OUTPUTS_EXPIRED(
      counter("tollgate_outputs_expired_total", "Expired outputs deleted from the directory.")),
  DOWNLOADS(
      gauge("tollgate_downloads", "Downloads of outputs from the directory that are in progress.")),
  FETCHES(
      counter(
          "tollgate_fetches_total",
          "Fetches of images from URLs of clients, by outcome.",
          "outcome")),
  FETCHED_BYTES(counter("tollgate_fetched_bytes_total", "Bytes of fetched images.")),
  FETCH_DURATION(
      histogram("tollgate_fetch_duration_seconds", "From a URL to its image or to the failure.")),
  FETCHES_IN_FLIGHT(gauge("tollgate_fetches_in_flight", "Fetches of images in flight.")),
  NAME_LOOK_UPS(
      gauge(
          "tollgate_name_lookups", "DNS look-ups of hosts in URLs of clients that are in flight."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final MetricDescriptor descriptor;

  OutputFamily(MetricDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  @Override
  public MetricDescriptor descriptor() {
    return descriptor;
  }
}
