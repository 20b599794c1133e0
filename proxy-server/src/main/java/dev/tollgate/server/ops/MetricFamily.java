package dev.tollgate.server.ops;

import static dev.tollgate.server.ops.MetricType.COUNTER;
import static dev.tollgate.server.ops.MetricType.GAUGE;
import static dev.tollgate.server.ops.MetricType.HISTOGRAM;

import java.util.List;

/** Every metric of ours by name: the one table, kept in step with {@code docs/operating.md}. */
public enum MetricFamily {
  REQUESTS(
      COUNTER,
      "tollgate_requests_total",
      "Requests that ended, by how.",
      List.of("route", "model", "provider", "outcome", "code")),
  REQUEST_DURATION(
      HISTOGRAM,
      "tollgate_request_duration_seconds",
      "From admission to the end of the reply.",
      List.of("route", "model", "stream")),
  FIRST_TOKEN(
      HISTOGRAM,
      "tollgate_first_token_seconds",
      "From admission to the first content event.",
      List.of("model", "provider")),
  OVERHEAD(
      HISTOGRAM, "tollgate_overhead_seconds", "What the gateway added to the provider's time."),
  ATTEMPTS(
      COUNTER,
      "tollgate_attempts_total",
      "Tries at providers, by how they ended.",
      List.of("provider", "outcome")),
  DROPPED_EVENTS(
      COUNTER,
      "tollgate_dropped_events_total",
      "Events of providers' streams that were dropped because they were no chunks.",
      List.of("provider")),
  STREAM_ANOMALIES(
      COUNTER,
      "tollgate_stream_anomalies_total",
      "Replies of providers that were no failures and still odd, by what was odd.",
      List.of("provider", "kind")),
  STREAM_ENDS(
      COUNTER,
      "tollgate_stream_ends_total",
      "Streams that ended after their 200, by how.",
      List.of("ending")),
  TOKENS(
      COUNTER,
      "tollgate_tokens_total",
      "Tokens charged: prompt (cached is a part of it) and completion.",
      List.of("model", "kind")),
  COST(
      COUNTER,
      "tollgate_cost_micro_usd_total",
      "Cost of the requests in micro-USD.",
      List.of("model")),
  CONNECTIONS(GAUGE, "tollgate_connections", "Open client connections."),
  REQUESTS_IN_FLIGHT(GAUGE, "tollgate_requests_in_flight", "Requests being answered."),
  CONNECTIONS_REFUSED(
      COUNTER,
      "tollgate_connections_refused_total",
      "Client connections closed at once because there were too many."),
  STREAMS_RESET(
      COUNTER,
      "tollgate_streams_reset_total",
      "Streams ended because their clients took nothing while direct memory ran out."),
  REFUSED_BODIES(
      GAUGE,
      "tollgate_refused_bodies",
      "Connections whose refused body is read, so that its client receives the answer."),
  REFUSED_BODIES_UNREAD(
      COUNTER,
      "tollgate_refused_bodies_unread_total",
      "Refused bodies that were not read to their end because too many were."),
  REQUESTS_ADMITTED(
      GAUGE, "tollgate_requests_admitted", "Requests of known callers whose reply has not ended."),
  REQUESTS_MAX(
      GAUGE,
      "tollgate_requests_max",
      "How many of them there may be now: at most server.max_requests."),
  SHED(
      COUNTER,
      "tollgate_shed_total",
      "Requests turned away because of the node's load or for want of room, by urgency.",
      List.of("urgency")),
  SHED_ABOVE_SHARE(
      COUNTER,
      "tollgate_shed_above_share_total",
      "Of these, those whose organization had its fair share."),
  LOAD_LEVEL(GAUGE, "tollgate_load_level", "What the node sheds, from 0 (nothing) to 7 (all new)."),
  LOAD_PRESSURE(
      GAUGE,
      "tollgate_load_pressure",
      "How full what the node may run out of is; 1: at its bound.",
      List.of("signal")),
  LOOP_WAIT(
      GAUGE,
      "tollgate_event_loop_wait_seconds",
      "How long what providers sent waited for the worst event loop, the last 250 ms' mean."),
  UPSTREAM_CONNECTIONS(
      GAUGE,
      "tollgate_upstream_connections",
      "Open connections to a provider, leased and idle.",
      List.of("provider")),
  UPSTREAM_LEASES(
      GAUGE,
      "tollgate_upstream_leases",
      "Connections to a provider that serve a request now.",
      List.of("provider")),
  UPSTREAM_PENDING(
      GAUGE,
      "tollgate_upstream_pending",
      "Requests that wait for a connection to a provider.",
      List.of("provider")),
  UPSTREAM_UNSOLICITED_BYTES(
      COUNTER,
      "tollgate_upstream_unsolicited_bytes_total",
      "Connections that were closed because a provider sent bytes that no request asked for.",
      List.of("provider")),
  PROVIDER_CIRCUIT(
      GAUGE,
      "tollgate_provider_circuit_state",
      "A provider's circuit: 0 closed, 1 half open, 2 open.",
      List.of("provider")),
  PROVIDER_IN_FLIGHT(
      GAUGE,
      "tollgate_provider_requests_in_flight",
      "Tries at a provider that are under way.",
      List.of("provider")),
  PROVIDER_KEYS_REFUSED(
      GAUGE,
      "tollgate_provider_keys_refused",
      "Keys that a provider refused and that are not used for now.",
      List.of("provider")),
  PROVIDER_KEYS_COOLING(
      GAUGE,
      "tollgate_provider_keys_cooling",
      "Keys that wait because a provider limits their rate.",
      List.of("provider")),
  ACCESS_TOKENS(
      COUNTER, "tollgate_access_tokens_total", "Access tokens of providers that were fetched."),
  ACCESS_TOKEN_FAILURES(
      COUNTER,
      "tollgate_access_token_failures_total",
      "Access tokens of providers that could not be fetched."),
  ACCESS_TOKENS_MISSING(
      GAUGE,
      "tollgate_access_tokens_missing",
      "Service accounts that have no token now: their providers are not asked."),
  FALLBACKS(
      COUNTER,
      "tollgate_fallbacks_total",
      "Tries behind the first, by who failed before or was late, who was asked then, and how the"
          + " other had failed; late: it went on beside.",
      List.of("from", "to", "reason")),
  RETRY_BUDGET_EXHAUSTED(
      COUNTER,
      "tollgate_retry_budget_exhausted_total",
      "Tries that a provider's retry budget did not allow, by what they were for: retry or hedge.",
      List.of("provider", "purpose")),
  RESUMES(
      COUNTER,
      "tollgate_resumes_total",
      "Streams that broke off behind content and were to be continued, by what became of them.",
      List.of("outcome")),
  HEDGES(
      COUNTER,
      "tollgate_hedges_total",
      "Requests for which a second provider was tried beside the first, by who served: neither also"
          + " where its client left before.",
      List.of("served_by")),
  INFLIGHT_BYTES(
      GAUGE,
      "tollgate_inflight_bytes",
      "Bytes of request bodies and collected replies held in memory."),
  BUFFER_BYTES(
      GAUGE, "tollgate_buffer_bytes", "Memory that the buffer allocator holds.", List.of("kind")),
  ALLOCATED_BYTES(
      COUNTER,
      "tollgate_allocated_bytes_total",
      "Bytes of heap that event loops and other threads have taken since the start.",
      List.of("thread")),
  LOOP_LAG(
      HISTOGRAM,
      "tollgate_event_loop_lag_seconds",
      "How late a timer of an event loop fires, probed every 250 ms."),
  LOOP_LAG_MAX(
      GAUGE,
      "tollgate_event_loop_lag_max_seconds",
      "The worst lag of a loop within the last minute.",
      List.of("loop")),
  AUTH_CACHE_KEYS(GAUGE, "tollgate_auth_cache_keys", "Keys in the authentication cache."),
  AUTH_LOOK_UPS(
      GAUGE, "tollgate_auth_look_ups", "Look-ups of keys in the store that are under way."),
  OFFLOAD_DEPTH(GAUGE, "tollgate_offload_queue_depth", "Blocking tasks that wait for a thread."),
  OFFLOAD_REFUSED(
      COUNTER,
      "tollgate_offload_refused_total",
      "Blocking tasks refused: full queue or late deadline."),
  IDEMPOTENCY_CLAIMS(
      COUNTER,
      "tollgate_idempotency_claims_total",
      "Requests that carried an idempotency key, by whose turn it was.",
      List.of("result")),
  IDEMPOTENCY_RUNNING(
      GAUGE, "tollgate_idempotency_running", "Of these, those that are carried out here now."),
  IDEMPOTENCY_QUEUE(
      GAUGE,
      "tollgate_idempotency_queue_depth",
      "Questions and replies of such requests that wait for a connection to the store."),
  IDEMPOTENCY_REFUSED(
      COUNTER,
      "tollgate_idempotency_refused_total",
      "Of these, those that found the queue full or waited for too long."),
  JOB_SUBMISSIONS(
      COUNTER,
      "tollgate_job_submissions_total",
      "Valid submissions of media jobs, by what became of them.",
      List.of("result")),
  JOBS_QUEUE(
      GAUGE,
      "tollgate_jobs_queue_depth",
      "Submissions and ends of media jobs that wait for a connection to the store."),
  JOB_QUERIES_QUEUE(
      GAUGE, "tollgate_job_queries_queue_depth", "Looks at media jobs that wait for a connection."),
  JOBS_OPEN(
      GAUGE,
      "tollgate_jobs_open",
      "Media jobs that are not over, on all nodes.",
      List.of("status")),
  STORE_CONNECTIONS(
      GAUGE, "tollgate_store_connections_in_use", "Connections in use.", List.of("pool")),
  STORE_CONNECTIONS_WAITED(
      GAUGE, "tollgate_store_connections_awaited", "Threads that wait for one.", List.of("pool")),
  JOBS_REFUSED(
      COUNTER,
      "tollgate_jobs_refused_total",
      "Of these, those that found the queue full or waited for too long."),
  IDEMPOTENCY_STORED_BYTES(
      COUNTER,
      "tollgate_idempotency_stored_bytes_total",
      "Bytes of replies that were stored to be told again."),
  IDEMPOTENCY_NOT_KEPT(
      COUNTER,
      "tollgate_idempotency_not_kept_total",
      "Replies that found no room beside their organization's others: their keys are told so."),
  IDEMPOTENCY_NOT_STORED(
      COUNTER,
      "tollgate_idempotency_not_stored_total",
      "Replies that could not be stored: their keys are told that they are lost."),
  LOG_DROPPED(
      COUNTER, "tollgate_log_lines_dropped_total", "Log lines dropped because the ring was full."),
  REQUEST_LOG_WAITING(
      GAUGE,
      "tollgate_request_log_waiting",
      "Requests without a charge that are not in the request log yet."),
  REQUEST_LOG_DROPPED(
      COUNTER,
      "tollgate_request_log_dropped_total",
      "Requests without a charge that will never be in it: the queue was full."),
  RELOADS(COUNTER, "tollgate_config_reloads_total", "Configurations taken into use."),
  RELOAD_FAILURES(
      COUNTER,
      "tollgate_config_reload_failures_total",
      "Reloads refused: the configuration was wrong or needs a restart."),
  RELOAD_OK(
      GAUGE, "tollgate_config_last_reload_successful", "1 unless the last reload was refused."),
  LEDGER_OPEN(GAUGE, "tollgate_ledger_open", "1 while requests can reserve money on this node."),
  LEDGER_RESERVATIONS(
      GAUGE, "tollgate_ledger_reservations", "Requests that run on reserved money."),
  LEDGER_QUEUED(
      GAUGE, "tollgate_ledger_queued", "Records of the journal that are not written yet."),
  LEDGER_WAITING(
      GAUGE, "tollgate_ledger_waiting", "Requests that wait for a grant of the shared books."),
  LEDGER_LEASES(
      GAUGE,
      "tollgate_ledger_leases",
      "Balances, limits and budgets of which this node holds money now."),
  LEDGER_BACKLOG(
      GAUGE, "tollgate_ledger_backlog", "Charges on the disk that are not in the books yet."),
  LEDGER_OLDEST(
      GAUGE,
      "tollgate_ledger_oldest_unsettled_seconds",
      "How long the oldest of them has waited at least; since its request began where more than a"
          + " batch waits."),
  LEDGER_FLUSH(GAUGE, "tollgate_ledger_flush_seconds", "What the last batch of charges took."),
  LEDGER_QUARANTINED(
      COUNTER,
      "tollgate_ledger_quarantined_total",
      "Charges that the books refused, kept for an operator."),
  LEDGER_OVERRUNS(
      COUNTER,
      "tollgate_ledger_overruns_total",
      "Charges that came to more than was reserved for them."),
  LEDGER_OVERRUN_COST(
      COUNTER, "tollgate_ledger_overrun_micro_usd_total", "By how much, in micro-USD."),
  LEDGER_RECALLS(
      COUNTER,
      "tollgate_ledger_recalls_total",
      "Times this node was asked to give back what it does not use of a lease."),
  LEDGER_PARTIAL_GRANTS(
      COUNTER,
      "tollgate_ledger_partial_grants_total",
      "Grants that were smaller than asked for, because the sum is nearly used up."),
  LEDGER_AUDIT_VIOLATIONS(
      GAUGE,
      "tollgate_ledger_audit_violations",
      "Sums of the books that did not agree at the last audit, by whichever node."),
  LEDGER_AUDIT_AGE(
      GAUGE,
      "tollgate_ledger_audit_age_seconds",
      "Since that audit, or since the start where there was none."),
  LEDGER_PARTITIONS_DROPPED(
      COUNTER,
      "tollgate_ledger_partitions_dropped_total",
      "Old days of charges and of the request log that this node dropped."),
  LEDGER_UNRESPONSIVE_NODES(
      GAUGE,
      "tollgate_ledger_unresponsive_nodes",
      "Nodes that may hold leases and were not heard of for a minute."),
  LEDGER_ROLLBACKS_DETECTED(
      COUNTER,
      "tollgate_ledger_rollbacks_detected_total",
      "Times this process found its database to be another one, or of an earlier time."),
  LIMIT_REFUSALS(
      COUNTER,
      "tollgate_limit_refusals_total",
      "Requests that a rate, token or concurrency limit refused, or that nobody could count:"
          + " service_unavailable.",
      List.of("code", "scope")),
  FALLBACKS_SKIPPED_BY_LIMIT(
      COUNTER,
      "tollgate_fallbacks_skipped_by_limit_total",
      "Models to fall back to that were not asked, because of their own limit.",
      List.of("model", "code")),
  LIMIT_SLOTS(
      GAUGE,
      "tollgate_limit_slots_in_use",
      "Requests under way whose key has a concurrency limit."),
  LIMIT_BUCKETS(
      GAUGE,
      "tollgate_limit_buckets",
      "Buckets of keys, organizations and models that this node remembers."),
  REDIS_CALL(
      HISTOGRAM,
      "tollgate_redis_call_seconds",
      "From asking Redis for a request's limits to its answer."),
  REDIS_FAILURES(
      COUNTER,
      "tollgate_redis_failures_total",
      "Calls that Redis did not answer, by why.",
      List.of("reason")),
  REDIS_UP(GAUGE, "tollgate_redis_up", "1 while Redis is asked, 0 while it is only probed."),
  REDIS_WAITING(GAUGE, "tollgate_redis_calls_waiting", "Calls that wait for an answer of Redis."),
  OUTPUTS_STORED(
      COUNTER,
      "tollgate_outputs_stored_total",
      "Outputs that were stored for clients, and images that came with their jobs."),
  OUTPUT_BYTES(COUNTER, "tollgate_outputs_stored_bytes_total", "Bytes of stored outputs."),
  OUTPUT_STORE_DURATION(
      HISTOGRAM,
      "tollgate_output_store_seconds",
      "From asking the object storage to keep an output to its answer."),
  OUTPUT_FAILURES(
      COUNTER,
      "tollgate_output_failures_total",
      "Outputs that could not be stored or deleted, by why.",
      List.of("reason")),
  OUTPUTS_EXPIRED(
      COUNTER,
      "tollgate_outputs_expired_total",
      "Outputs that were deleted from the directory because their time was over."),
  DOWNLOADS(GAUGE, "tollgate_downloads", "Outputs that clients fetch from the directory now."),
  FETCHES(
      COUNTER,
      "tollgate_fetches_total",
      "Images that were to be fetched from clients' URLs, by what became of it.",
      List.of("outcome")),
  FETCHED_BYTES(COUNTER, "tollgate_fetched_bytes_total", "Bytes of the images that were fetched."),
  FETCH_DURATION(
      HISTOGRAM,
      "tollgate_fetch_duration_seconds",
      "From a URL to its image, or to why there is none."),
  FETCHES_IN_FLIGHT(
      GAUGE, "tollgate_fetches_in_flight", "Images that are being fetched from URLs."),
  NAME_LOOK_UPS(
      GAUGE, "tollgate_name_look_ups", "Names of clients' URLs that DNS is being asked for."),
  WEBHOOK_ATTEMPTS(
      COUNTER,
      "tollgate_webhook_attempts_total",
      "Attempts to announce a finished job, by what became of them.",
      List.of("outcome")),
  WEBHOOK_DELIVERIES(
      COUNTER,
      "tollgate_webhook_deliveries_total",
      "Announcements that ended: delivered, gone or failed.",
      List.of("outcome")),
  WEBHOOK_ATTEMPT_DURATION(
      HISTOGRAM,
      "tollgate_webhook_attempt_seconds",
      "From the look-up of a receiver's name to its answer, or to why there is none."),
  WEBHOOK_DELAY(
      HISTOGRAM,
      "tollgate_webhook_first_attempt_delay_seconds",
      "From a job's end to the first attempt to announce it."),
  WEBHOOKS_IN_FLIGHT(GAUGE, "tollgate_webhooks_in_flight", "Announcements that are being made."),
  WEBHOOKS_PENDING(
      GAUGE,
      "tollgate_webhooks_pending",
      "Announcements of all nodes that have not ended, as counted last."),
  WEBHOOKS_OVERDUE(
      GAUGE,
      "tollgate_webhooks_overdue_seconds",
      "For how long the oldest attempt of all nodes is due, as counted last."),
  WEBHOOKS_LOCKED(
      GAUGE,
      "tollgate_webhooks_locked",
      "Overdue announcements that cannot be signed, by why, as counted last.",
      List.of("cause")),
  JOBS_CLAIMED(
      COUNTER,
      "tollgate_jobs_claimed_total",
      "Turns that this node's workers took at videos and music."),
  JOBS_DEFERRED(
      MetricType.COUNTER,
      "tollgate_jobs_deferred_total",
      "Turns at jobs that wait because their provider has media.max_open_jobs."),
  JOBS_IN_WORK(
      GAUGE,
      "tollgate_jobs_in_work",
      "Jobs that this node's workers have now, at most media.workers."),
  JOBS_ENDED(
      COUNTER,
      "tollgate_jobs_ended_total",
      "Jobs that ended at this node's workers, by how.",
      List.of("kind", "status")),
  JOB_WAIT(
      HISTOGRAM,
      "tollgate_job_wait_seconds",
      "From a job's submission to its acceptance by a provider.",
      List.of("kind")),
  JOB_DURATION(
      HISTOGRAM,
      "tollgate_job_duration_seconds",
      "From a job's submission to its end.",
      List.of("kind", "status")),
  JOB_POLLS_INCONCLUSIVE(
      COUNTER,
      "tollgate_job_polls_inconclusive_total",
      "Turns at a job after which nobody knew more than before."),
  JOB_LEASES_LOST(
      COUNTER,
      "tollgate_job_leases_lost_total",
      "Jobs that another worker took up while one here was at them."),
  ARTIFACTS_COPIED(
      COUNTER,
      "tollgate_artifacts_copied_total",
      "Files of jobs that were copied into the object storage."),
  ARTIFACT_BYTES(COUNTER, "tollgate_artifacts_copied_bytes_total", "Bytes of these files."),
  ARTIFACT_FAILURES(
      COUNTER,
      "tollgate_artifact_copy_failures_total",
      "Files of jobs that could not be copied, each try."),
  SPOOL_BYTES(GAUGE, "tollgate_spool_bytes", "Disk taken by files of jobs on their way."),
  ARTIFACTS_DELETED(
      COUNTER,
      "tollgate_artifacts_deleted_total",
      "Files of jobs that were over or removed, and images of jobs that ended, deleted."),
  READY(GAUGE, "tollgate_ready", "1 while /readyz says 200."),
  START_DURATION(GAUGE, "tollgate_start_duration_seconds", "From the start of serving to ready.");

  @SuppressWarnings("ImmutableEnumChecker") // a record of what cannot change
  private final MetricDescriptor descriptor;

  MetricFamily(MetricType type, String metric, String help) {
    this(type, metric, help, List.of());
  }

  MetricFamily(MetricType type, String metric, String help, List<String> labels) {
    this.descriptor = new MetricDescriptor(type, metric, help, labels);
  }

  public MetricType type() {
    return descriptor.type();
  }

  /** The name that Prometheus sees. */
  public String metric() {
    return descriptor.metric();
  }

  public String help() {
    return descriptor.help();
  }

  public List<String> labels() {
    return descriptor.labels();
  }
}
