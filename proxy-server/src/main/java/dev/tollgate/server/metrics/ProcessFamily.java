package dev.tollgate.server.metrics;

import static dev.tollgate.server.metrics.MetricDescriptor.counter;
import static dev.tollgate.server.metrics.MetricDescriptor.gauge;
import static dev.tollgate.server.metrics.MetricDescriptor.histogram;

/** Metric definitions of start, configuration, memory, event loops and logging of the process. */
public enum ProcessFamily implements MetricFamily {
  READY(gauge("tollgate_ready", "1 while /readyz answers 200.")),
  START_DURATION(gauge("tollgate_start_duration_seconds", "From the begin of serve to readiness.")),
  RELOADS(counter("tollgate_config_reloads_total", "Configurations loaded by a reload.")),
  RELOAD_FAILURES(
      counter(
          "tollgate_config_reload_failures_total",
          "Reloads refused: the configuration is invalid or needs a restart.")),
  RELOAD_OK(
      gauge("tollgate_config_last_reload_successful", "1 unless the last reload was refused.")),
  INFLIGHT_BYTES(
      gauge(
          "tollgate_inflight_bytes",
          "Bytes of request bodies and collected replies held in memory.")),
  BUFFER_BYTES(
      gauge(
          "tollgate_buffer_bytes",
          "Memory that the buffer allocator has reserved, direct and heap.",
          "kind")),
  ALLOCATED_BYTES(
      counter(
          "tollgate_allocated_bytes_total",
          "Heap bytes allocated since the start, by event loops and other threads.",
          "thread")),
  LOOP_LAG(
      histogram(
          "tollgate_event_loop_lag_seconds",
          "Lateness of a timer on an event loop, probed every 250 ms.")),
  LOOP_LAG_MAX(
      gauge(
          "tollgate_event_loop_lag_max_seconds",
          "Largest lag of an event loop within the last minute.",
          "loop")),
  ADMIN_CONNECTIONS(gauge("tollgate_admin_connections", "Open connections of the admin listener.")),
  ADMIN_CONNECTIONS_EVICTED(
      counter(
          "tollgate_admin_connections_evicted_total",
          "Connections of the admin listener that waited for their client and were closed for new"
              + " ones.")),
  LOG_DROPPED(
      counter("tollgate_log_lines_dropped_total", "Log lines dropped because the ring was full."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final MetricDescriptor descriptor;

  ProcessFamily(MetricDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  @Override
  public MetricDescriptor descriptor() {
    return descriptor;
  }
}
