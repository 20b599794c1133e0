package dev.tollgate.server.metrics;

import static dev.tollgate.server.metrics.MetricDescriptor.counter;
import static dev.tollgate.server.metrics.MetricDescriptor.gauge;
import static dev.tollgate.server.metrics.MetricDescriptor.histogram;

/** Metric definitions of the control plane. */
public enum ControlFamily implements MetricFamily {
  CONTROL_REQUESTS(
      counter(
          "tollgate_control_requests_total",
          "Requests to the control plane, by route and status; 0: the client left before.",
          "route",
          "status")),
  CONTROL_DURATION(
      histogram(
          "tollgate_control_seconds",
          "From the head of a request to the control plane to its reply.")),
  CONTROL_CALLS(gauge("tollgate_control_calls", "Calls of the control plane that run or wait.")),
  CONTROL_CONNECTIONS(
      gauge("tollgate_control_connections", "Open connections of the control plane's listener."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final MetricDescriptor descriptor;

  ControlFamily(MetricDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  @Override
  public MetricDescriptor descriptor() {
    return descriptor;
  }
}
