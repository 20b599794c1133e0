package dev.tollgate.server.metrics;

import static dev.tollgate.server.metrics.MetricDescriptor.counter;
import static dev.tollgate.server.metrics.MetricDescriptor.gauge;

/** Metric definitions of admission and load shedding on this node. */
public enum LoadFamily implements MetricFamily {
  REQUESTS_ADMITTED(
      gauge("tollgate_requests_admitted", "Authenticated requests whose reply has not ended.")),
  REQUESTS_MAX(
      gauge(
          "tollgate_requests_max",
          "Present bound on admitted requests: at most server.max_requests.")),
  SHED(
      counter(
          "tollgate_shed_total",
          "Requests refused because of load or because a bound is reached, by urgency.",
          "urgency")),
  SHED_ABOVE_SHARE(
      counter(
          "tollgate_shed_above_share_total",
          "Shed requests whose organization had used its fair share.")),
  LOAD_LEVEL(
      gauge(
          "tollgate_load_level",
          "Load shedding level, from 0 (nothing is shed) to 7 (all new requests).")),
  LOAD_PRESSURE(
      gauge(
          "tollgate_load_pressure",
          "Use of a resource as a share of its bound; 1: at the bound.",
          "signal")),
  BODY_QUEUE(
      gauge("tollgate_body_queue_depth", "Large request bodies that wait to be read or written.")),
  BODIES_REFUSED(
      counter(
          "tollgate_bodies_refused_total",
          "Large request bodies that were not read or written: full queue, or 10 s in it.")),
  EVENT_LOOP_DELAY(
      gauge(
          "tollgate_event_loop_wait_seconds",
          "Mean wait of provider events for the slowest event loop, over the last 250 ms."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final MetricDescriptor descriptor;

  LoadFamily(MetricDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  @Override
  public MetricDescriptor descriptor() {
    return descriptor;
  }
}
