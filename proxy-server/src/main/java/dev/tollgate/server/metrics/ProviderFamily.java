package dev.tollgate.server.metrics;

import static dev.tollgate.server.metrics.MetricDescriptor.counter;
import static dev.tollgate.server.metrics.MetricDescriptor.gauge;

/** Metric definitions of attempts at providers, upstream connections, circuits and credentials. */
public enum ProviderFamily implements MetricFamily {
  ATTEMPTS(
      counter(
          "tollgate_attempts_total", "Attempts at providers, by outcome.", "provider", "outcome")),
  FALLBACKS(
      counter(
          "tollgate_fallbacks_total",
          "Attempts after the first, by previous provider, next provider and reason; late:"
              + " a hedge beside the first.",
          "from",
          "to",
          "reason")),
  RETRY_BUDGET_EXHAUSTED(
      counter(
          "tollgate_retry_budget_exhausted_total",
          "Attempts that a provider's retry budget did not allow, by purpose: retry or hedge.",
          "provider",
          "purpose")),
  RESUMES(
      counter(
          "tollgate_resumes_total",
          "Streams that broke off after content and were to be resumed, by outcome.",
          "outcome")),
  HEDGES(
      counter(
          "tollgate_hedges_total",
          "Requests with a hedged second attempt, by the attempt that served; neither also"
              + " if the client disconnected before.",
          "served_by")),
  RESENT(
      counter(
          "tollgate_requests_resent_total",
          "Requests sent again because their pooled connection turned out to be closed.",
          "provider")),
  DROPPED_MEMBERS(
      counter(
          "tollgate_dropped_members_total",
          "Members of requests that a provider did not get as the client sent them, as far as"
              + " they are named.",
          "provider")),
  DROPPED_EVENTS(
      counter(
          "tollgate_dropped_events_total",
          "Stream events of providers that were no chunks, and choices beyond the first.",
          "provider")),
  STREAM_ANOMALIES(
      counter(
          "tollgate_stream_anomalies_total",
          "Replies of providers that did not fail but deviated from the wire format, by kind.",
          "provider",
          "kind")),
  PROVIDER_CIRCUIT(
      gauge(
          "tollgate_provider_circuit_state",
          "Circuit of a provider's endpoint, for all its models: 0 closed, 1 half open, 2 open.",
          "provider")),
  MODEL_CIRCUITS_OPEN(
      gauge(
          "tollgate_provider_model_circuits_open",
          "Models of a provider whose circuit is not closed, for all organizations.",
          "provider")),
  ORG_CIRCUITS_OPEN(
      gauge(
          "tollgate_provider_org_circuits_open",
          "Circuits of single organizations at a provider's models that are not closed.",
          "provider")),
  ORG_CIRCUITS(
      gauge(
          "tollgate_org_circuits",
          "Circuits of single organizations that are kept: one from a failure on, until a success"
              + " without recent failures.")),
  ORG_CIRCUITS_EVICTED(
      counter(
          "tollgate_org_circuits_evicted_total",
          "Circuits of single organizations that were dropped for others.")),
  CIRCUIT_OPENINGS(
      counter(
          "tollgate_circuit_openings_total",
          "Circuits that opened, also again after a probe, by scope: endpoint, model,"
              + " organization.",
          "provider",
          "scope")),
  PROVIDER_IN_FLIGHT(
      gauge(
          "tollgate_provider_requests_in_flight",
          "Attempts at a provider that are in flight.",
          "provider")),
  DRAINING_STREAMS(
      gauge(
          "tollgate_draining_streams",
          "Streams that are read to their end after the client disconnected.",
          "provider")),
  DRAINS(
      counter(
          "tollgate_drains_total",
          "Streams to be drained after the client disconnected, by result: drained, or"
              + " no_room in the quota.",
          "provider",
          "result")),
  PROVIDER_KEYS_REFUSED(
      gauge(
          "tollgate_provider_keys_refused",
          "Credentials that a provider refused and that are not used for now.",
          "provider")),
  PROVIDER_KEYS_COOLING(
      gauge(
          "tollgate_provider_keys_cooling",
          "Credentials that are paused because a provider limits their rate.",
          "provider")),
  UPSTREAM_CONNECTIONS(
      gauge(
          "tollgate_upstream_connections",
          "Open connections to a provider, leased and idle.",
          "provider")),
  UPSTREAM_LEASES(
      gauge(
          "tollgate_upstream_leases",
          "Connections to a provider that serve a request.",
          "provider")),
  UPSTREAM_PENDING(
      gauge(
          "tollgate_upstream_pending",
          "Requests that wait for a connection to a provider.",
          "provider")),
  UPSTREAM_UNSOLICITED_BYTES(
      counter(
          "tollgate_upstream_unsolicited_bytes_total",
          "Connections closed because a provider sent bytes without a request.",
          "provider")),
  ACCESS_TOKENS(counter("tollgate_access_tokens_total", "Access tokens fetched for providers.")),
  ACCESS_TOKEN_FAILURES(
      counter(
          "tollgate_access_token_failures_total",
          "Failed fetches of access tokens for providers.")),
  ACCESS_TOKENS_MISSING(
      gauge(
          "tollgate_access_tokens_missing",
          "Service accounts without a valid token: their providers are not called."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final MetricDescriptor descriptor;

  ProviderFamily(MetricDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  @Override
  public MetricDescriptor descriptor() {
    return descriptor;
  }
}
