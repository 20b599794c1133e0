package dev.tollgate.server.metrics;

import static dev.tollgate.server.metrics.MetricDescriptor.counter;
import static dev.tollgate.server.metrics.MetricDescriptor.gauge;
import static dev.tollgate.server.metrics.MetricDescriptor.histogram;

/** Metric definitions of API requests, their tokens and cost, and client connections. */
public enum RequestFamily implements MetricFamily {
  REQUESTS(
      counter(
          "tollgate_requests_total",
          "Requests that ended, by outcome.",
          "route",
          "model",
          "provider",
          "outcome",
          "code")),
  REQUEST_DURATION(
      histogram(
          "tollgate_request_duration_seconds",
          "From admission to the end of the reply.",
          "route",
          "model",
          "stream")),
  FIRST_TOKEN(
      histogram(
          "tollgate_first_token_seconds",
          "From admission to the first content event.",
          "model",
          "provider")),
  OVERHEAD(
      histogram(
          "tollgate_overhead_seconds", "Time that the gateway added to the provider's time.")),
  STREAM_ENDS(
      counter(
          "tollgate_stream_ends_total",
          "Streams that ended after their status 200, by ending.",
          "ending")),
  ABORTS(
      counter(
          "tollgate_aborts_total",
          "Requests whose client left before the end, by charge: nothing before the first event,"
              + " then reported or estimated usage.",
          "charge")),
  TOKENS(
      counter(
          "tollgate_tokens_total",
          "Tokens charged: prompt (cached is a part of it) and completion.",
          "model",
          "kind")),
  COST(counter("tollgate_cost_micro_usd_total", "Cost of the requests in micro-USD.", "model")),
  REQUESTS_BELOW_COST(
      counter(
          "tollgate_requests_below_cost_total",
          "Requests that cost the operator more than their charge.",
          "model",
          "provider")),
  SHORTFALL(
      counter(
          "tollgate_shortfall_micro_usd_total",
          "What these requests cost the operator above their charges, in micro-USD.",
          "model",
          "provider")),
  CONNECTIONS(gauge("tollgate_connections", "Open client connections.")),
  CONNECTIONS_REFUSED(
      counter(
          "tollgate_connections_refused_total",
          "Client connections closed at once because of listeners.api.max_connections.")),
  CONNECTIONS_UNPROVEN(
      gauge(
          "tollgate_connections_unproven",
          "Open client connections that have not proved a key, without those of trusted proxies.")),
  CONNECTIONS_EVICTED(
      counter(
          "tollgate_connections_evicted_total",
          "Connections without a proved key that were closed for a new one, by the limit that"
              + " was reached: of the node, or of their address.",
          "limit")),
  REQUESTS_IN_FLIGHT(gauge("tollgate_requests_in_flight", "Requests that are being served.")),
  STREAMS_RESET(
      counter(
          "tollgate_streams_reset_total",
          "Streams reset because their clients did not read while direct memory ran low.")),
  REFUSED_BODIES(
      gauge(
          "tollgate_refused_bodies",
          "Connections whose refused request body is drained, so that the client receives"
              + " the reply.")),
  REFUSED_BODIES_UNREAD(
      counter(
          "tollgate_refused_bodies_unread_total",
          "Refused bodies that were not drained because too many were draining.")),
  REQUEST_LOG_WAITING(
      gauge(
          "tollgate_request_log_waiting",
          "Requests without a charge that wait to be written to the request log.")),
  REQUEST_LOG_DROPPED(
      counter(
          "tollgate_request_log_dropped_total",
          "Requests without a charge that are missing in the request log because the queue"
              + " was full.")),
  REFUSALS_COUNTED(
      counter(
          "tollgate_refusals_counted_total",
          "Refused requests that were counted by key, code and minute instead of logged.")),
  REFUSAL_COUNTS_WAITING(
      gauge(
          "tollgate_refusal_counts_waiting",
          "Counts of refused requests by key, code and minute in this node's memory.")),
  REFUSALS_DROPPED(
      counter(
          "tollgate_refusals_dropped_total",
          "Refused requests that were neither logged nor counted, because there were too many"
              + " counts or the store refused them.")),
  REQUEST_LOG_BYTES(
      gauge(
          "tollgate_request_log_bytes",
          "Size of the request log with its indexes in the store, measured once a minute.")),
  REQUEST_LOG_PARTITIONS_DROPPED(
      counter(
          "tollgate_request_log_partitions_dropped_total",
          "Days of the request log that this node dropped, because of their age (time) or the"
              + " log's size (size).",
          "reason"));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final MetricDescriptor descriptor;

  RequestFamily(MetricDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  @Override
  public MetricDescriptor descriptor() {
    return descriptor;
  }
}
