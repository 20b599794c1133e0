package dev.tollgate.server.ops;

import java.util.List;

/** Every metric of ours by name: the one table, kept in step with {@code docs/operating.md}. */
public enum Family {
  REQUESTS(
      Kind.COUNTER,
      "tollgate_requests_total",
      "Requests that ended, by how.",
      List.of("route", "model", "provider", "outcome", "code")),
  REQUEST_DURATION(
      Kind.HISTOGRAM,
      "tollgate_request_duration_seconds",
      "From admission to the end of the reply.",
      List.of("route", "model", "stream")),
  FIRST_TOKEN(
      Kind.HISTOGRAM,
      "tollgate_first_token_seconds",
      "From admission to the first content event.",
      List.of("model", "provider")),
  OVERHEAD(
      Kind.HISTOGRAM,
      "tollgate_overhead_seconds",
      "What the gateway added to the provider's time."),
  ATTEMPTS(
      Kind.COUNTER,
      "tollgate_attempts_total",
      "Tries at providers, by how they ended.",
      List.of("provider", "outcome")),
  DROPPED_EVENTS(
      Kind.COUNTER,
      "tollgate_dropped_events_total",
      "Events of providers' streams that were dropped because they were no chunks.",
      List.of("provider")),
  STREAM_ODDITIES(
      Kind.COUNTER,
      "tollgate_stream_oddities_total",
      "Replies of providers that were no failures and still odd, by what was odd.",
      List.of("provider", "kind")),
  STREAM_ENDS(
      Kind.COUNTER,
      "tollgate_stream_ends_total",
      "Streams that ended after their 200, by how.",
      List.of("ending")),
  TOKENS(
      Kind.COUNTER,
      "tollgate_tokens_total",
      "Tokens charged: prompt (cached is a part of it) and completion.",
      List.of("model", "kind")),
  COST(
      Kind.COUNTER,
      "tollgate_cost_micro_usd_total",
      "Cost of the requests in micro-USD.",
      List.of("model")),
  CONNECTIONS(Kind.GAUGE, "tollgate_connections", "Open client connections."),
  REQUESTS_IN_FLIGHT(Kind.GAUGE, "tollgate_requests_in_flight", "Requests being answered."),
  CONNECTIONS_REFUSED(
      Kind.COUNTER,
      "tollgate_connections_refused_total",
      "Client connections closed at once because there were too many."),
  STREAMS_RESET(
      Kind.COUNTER,
      "tollgate_streams_reset_total",
      "Streams ended because their clients took nothing while direct memory ran out."),
  REFUSED_BODIES(
      Kind.GAUGE,
      "tollgate_refused_bodies",
      "Connections whose refused body is read, so that its client receives the answer."),
  REFUSED_BODIES_UNREAD(
      Kind.COUNTER,
      "tollgate_refused_bodies_unread_total",
      "Refused bodies that were not read to their end because too many were."),
  REQUESTS_ADMITTED(
      Kind.GAUGE,
      "tollgate_requests_admitted",
      "Requests of known callers whose reply has not ended."),
  REQUESTS_MAX(
      Kind.GAUGE,
      "tollgate_requests_max",
      "How many of them there may be now: at most server.max_requests."),
  SHED(
      Kind.COUNTER,
      "tollgate_shed_total",
      "Requests turned away because of the node's load or for want of room, by urgency.",
      List.of("urgency")),
  SHED_ABOVE_SHARE(
      Kind.COUNTER,
      "tollgate_shed_above_share_total",
      "Of these, those whose organization had its fair share."),
  LOAD_LEVEL(
      Kind.GAUGE, "tollgate_load_level", "What the node sheds, from 0 (nothing) to 7 (all new)."),
  LOAD_PRESSURE(
      Kind.GAUGE,
      "tollgate_load_pressure",
      "How full what the node may run out of is; 1: at its bound.",
      List.of("signal")),
  LOOP_WAIT(
      Kind.GAUGE,
      "tollgate_event_loop_wait_seconds",
      "How long the worst event loop kept tasks waiting on average in the last 250 ms."),
  UPSTREAM_CONNECTIONS(
      Kind.GAUGE,
      "tollgate_upstream_connections",
      "Open connections to a provider, leased and idle.",
      List.of("provider")),
  UPSTREAM_LEASES(
      Kind.GAUGE,
      "tollgate_upstream_leases",
      "Connections to a provider that serve a request now.",
      List.of("provider")),
  UPSTREAM_PENDING(
      Kind.GAUGE,
      "tollgate_upstream_pending",
      "Requests that wait for a connection to a provider.",
      List.of("provider")),
  UPSTREAM_SURPLUS(
      Kind.COUNTER,
      "tollgate_upstream_surplus_total",
      "Connections that were closed because a provider sent bytes that no request asked for.",
      List.of("provider")),
  PROVIDER_CIRCUIT(
      Kind.GAUGE,
      "tollgate_provider_circuit_state",
      "A provider's circuit: 0 closed, 1 half open, 2 open.",
      List.of("provider")),
  PROVIDER_IN_FLIGHT(
      Kind.GAUGE,
      "tollgate_provider_requests_in_flight",
      "Tries at a provider that are under way.",
      List.of("provider")),
  PROVIDER_KEYS_REFUSED(
      Kind.GAUGE,
      "tollgate_provider_keys_refused",
      "Keys that a provider refused and that are not used for now.",
      List.of("provider")),
  PROVIDER_KEYS_COOLING(
      Kind.GAUGE,
      "tollgate_provider_keys_cooling",
      "Keys that wait because a provider limits their rate.",
      List.of("provider")),
  ACCESS_TOKENS(
      Kind.COUNTER,
      "tollgate_access_tokens_total",
      "Access tokens of providers that were fetched."),
  ACCESS_TOKEN_FAILURES(
      Kind.COUNTER,
      "tollgate_access_token_failures_total",
      "Access tokens of providers that could not be fetched."),
  ACCESS_TOKENS_MISSING(
      Kind.GAUGE,
      "tollgate_access_tokens_missing",
      "Service accounts that have no token now: their providers are not asked."),
  FALLBACKS(
      Kind.COUNTER,
      "tollgate_fallbacks_total",
      "Tries behind the first, by who failed before or was late, who was asked then, and how the"
          + " other had failed; late: it went on beside.",
      List.of("from", "to", "reason")),
  EXTRA_REFUSED(
      Kind.COUNTER,
      "tollgate_provider_extra_tries_refused_total",
      "Tries that a provider's retry budget did not allow, by what they were for: retry or hedge.",
      List.of("provider", "purpose")),
  RESUMES(
      Kind.COUNTER,
      "tollgate_resumes_total",
      "Streams that broke off behind content and were to be continued, by what became of them.",
      List.of("outcome")),
  HEDGES(
      Kind.COUNTER,
      "tollgate_hedges_total",
      "Requests for which a second provider was tried beside the first, by who served: neither also"
          + " where its client left before.",
      List.of("served_by")),
  INFLIGHT_BYTES(
      Kind.GAUGE,
      "tollgate_inflight_bytes",
      "Bytes of request bodies and collected replies held in memory."),
  BUFFER_BYTES(
      Kind.GAUGE,
      "tollgate_buffer_bytes",
      "Memory that the buffer allocator holds.",
      List.of("kind")),
  ALLOCATED_BYTES(
      Kind.COUNTER,
      "tollgate_allocated_bytes_total",
      "Bytes of heap that event loops and other threads have taken since the start.",
      List.of("thread")),
  LOOP_LAG(
      Kind.HISTOGRAM,
      "tollgate_event_loop_lag_seconds",
      "How late a timer of an event loop fires, probed every 250 ms."),
  LOOP_LAG_MAX(
      Kind.GAUGE,
      "tollgate_event_loop_lag_max_seconds",
      "The worst lag of a loop within the last minute.",
      List.of("loop")),
  AUTH_CACHE_KEYS(Kind.GAUGE, "tollgate_auth_cache_keys", "Keys in the authentication cache."),
  AUTH_LOOK_UPS(
      Kind.GAUGE, "tollgate_auth_look_ups", "Look-ups of keys in the store that are under way."),
  OFFLOAD_DEPTH(
      Kind.GAUGE, "tollgate_offload_queue_depth", "Blocking tasks that wait for a thread."),
  OFFLOAD_REFUSED(
      Kind.COUNTER,
      "tollgate_offload_refused_total",
      "Blocking tasks refused: full queue or late deadline."),
  IDEMPOTENCY_CLAIMS(
      Kind.COUNTER,
      "tollgate_idempotency_claims_total",
      "Requests that carried an idempotency key, by whose turn it was.",
      List.of("result")),
  IDEMPOTENCY_RUNNING(
      Kind.GAUGE, "tollgate_idempotency_running", "Of these, those that are carried out here now."),
  IDEMPOTENCY_QUEUE(
      Kind.GAUGE,
      "tollgate_idempotency_queue_depth",
      "Questions and replies of such requests that wait for a connection to the store."),
  IDEMPOTENCY_REFUSED(
      Kind.COUNTER,
      "tollgate_idempotency_refused_total",
      "Of these, those that found the queue full or waited for too long."),
  JOB_SUBMISSIONS(
      Kind.COUNTER,
      "tollgate_job_submissions_total",
      "Valid submissions of media jobs, by what became of them.",
      List.of("result")),
  JOBS_QUEUE(
      Kind.GAUGE,
      "tollgate_jobs_queue_depth",
      "Submissions and ends of media jobs that wait for a connection to the store."),
  JOB_LOOKS_QUEUE(
      Kind.GAUGE,
      "tollgate_job_looks_queue_depth",
      "Looks at media jobs that wait for a connection to the store."),
  JOBS_OPEN(
      Kind.GAUGE,
      "tollgate_jobs_open",
      "Media jobs of all nodes that are not over, counted every 15 s up to 100,000.",
      List.of("status")),
  STORE_CONNECTIONS(
      Kind.GAUGE,
      "tollgate_store_connections_in_use",
      "Connections to the store that somebody has now, by pool.",
      List.of("pool")),
  STORE_CONNECTIONS_WAITED(
      Kind.GAUGE,
      "tollgate_store_connections_waited_for",
      "Threads that wait for a connection to the store, by pool.",
      List.of("pool")),
  JOBS_REFUSED(
      Kind.COUNTER,
      "tollgate_jobs_refused_total",
      "Of these, those that found the queue full or waited for too long."),
  IDEMPOTENCY_STORED_BYTES(
      Kind.COUNTER,
      "tollgate_idempotency_stored_bytes_total",
      "Bytes of replies that were stored to be told again."),
  IDEMPOTENCY_NOT_KEPT(
      Kind.COUNTER,
      "tollgate_idempotency_not_kept_total",
      "Replies that found no room beside their organization's others: their keys are told so."),
  IDEMPOTENCY_NOT_STORED(
      Kind.COUNTER,
      "tollgate_idempotency_not_stored_total",
      "Replies that could not be stored: their keys are told that they are lost."),
  LOG_DROPPED(
      Kind.COUNTER,
      "tollgate_log_lines_dropped_total",
      "Log lines dropped because the ring was full."),
  REQUEST_LOG_WAITING(
      Kind.GAUGE,
      "tollgate_request_log_waiting",
      "Requests without a charge that are not in the request log yet."),
  REQUEST_LOG_DROPPED(
      Kind.COUNTER,
      "tollgate_request_log_dropped_total",
      "Requests without a charge that will never be in it: the queue was full."),
  RELOADS(Kind.COUNTER, "tollgate_config_reloads_total", "Configurations taken into use."),
  RELOAD_FAILURES(
      Kind.COUNTER,
      "tollgate_config_reload_failures_total",
      "Reloads refused: the configuration was wrong or needs a restart."),
  RELOAD_OK(
      Kind.GAUGE,
      "tollgate_config_last_reload_successful",
      "1 unless the last reload was refused."),
  LEDGER_OPEN(
      Kind.GAUGE, "tollgate_ledger_open", "1 while requests can reserve money on this node."),
  LEDGER_RESERVATIONS(
      Kind.GAUGE, "tollgate_ledger_reservations", "Requests that run on reserved money."),
  LEDGER_QUEUED(
      Kind.GAUGE, "tollgate_ledger_queued", "Records of the journal that are not written yet."),
  LEDGER_WAITING(
      Kind.GAUGE, "tollgate_ledger_waiting", "Requests that wait for a grant of the shared books."),
  LEDGER_LEASES(
      Kind.GAUGE,
      "tollgate_ledger_leases",
      "Balances, limits and budgets of which this node holds money now."),
  LEDGER_BACKLOG(
      Kind.GAUGE, "tollgate_ledger_backlog", "Charges on the disk that are not in the books yet."),
  LEDGER_OLDEST(
      Kind.GAUGE,
      "tollgate_ledger_oldest_unsettled_seconds",
      "How long the oldest of them has waited at least; since its request began where more than a"
          + " batch waits."),
  LEDGER_FLUSH(Kind.GAUGE, "tollgate_ledger_flush_seconds", "What the last batch of charges took."),
  LEDGER_QUARANTINED(
      Kind.COUNTER,
      "tollgate_ledger_quarantined_total",
      "Charges that the books refused, kept for an operator."),
  LEDGER_OVERRUNS(
      Kind.COUNTER,
      "tollgate_ledger_overruns_total",
      "Charges that came to more than was reserved for them."),
  LEDGER_OVERRUN_COST(
      Kind.COUNTER, "tollgate_ledger_overrun_micro_usd_total", "By how much, in micro-USD."),
  LEDGER_RECALLS(
      Kind.COUNTER,
      "tollgate_ledger_recalls_total",
      "Times this node was asked to give back what it does not use of a lease."),
  LEDGER_LEAN_GRANTS(
      Kind.COUNTER,
      "tollgate_ledger_lean_grants_total",
      "Grants that were smaller than asked for, because the sum is nearly used up."),
  LEDGER_AUDIT_VIOLATIONS(
      Kind.GAUGE,
      "tollgate_ledger_audit_violations",
      "Sums of the books that did not agree at the last audit, by whichever node."),
  LEDGER_AUDIT_AGE(
      Kind.GAUGE,
      "tollgate_ledger_audit_age_seconds",
      "Since that audit, or since the start where there was none."),
  LEDGER_DAYS_DROPPED(
      Kind.COUNTER,
      "tollgate_ledger_days_dropped_total",
      "Old days of charges and of the request log that this node dropped."),
  LEDGER_SILENT_NODES(
      Kind.GAUGE,
      "tollgate_ledger_silent_nodes",
      "Nodes that may hold leases and were not heard of for a minute."),
  LEDGER_WENT_BACK(
      Kind.COUNTER,
      "tollgate_ledger_books_went_back_total",
      "Times this process found its database to be another one, or of an earlier time."),
  LIMIT_REFUSALS(
      Kind.COUNTER,
      "tollgate_limit_refusals_total",
      "Requests that a rate, token or concurrency limit refused, or that nobody could count:"
          + " service_unavailable.",
      List.of("code", "scope")),
  LIMIT_PASSED_OVER(
      Kind.COUNTER,
      "tollgate_limit_passed_over_total",
      "Models to fall back to that were not asked, because of their own limit.",
      List.of("model", "code")),
  LIMIT_SLOTS(
      Kind.GAUGE,
      "tollgate_limit_slots_in_use",
      "Requests under way whose key has a concurrency limit."),
  LIMIT_BUCKETS(
      Kind.GAUGE,
      "tollgate_limit_buckets",
      "Buckets of keys, organizations and models that this node remembers."),
  REDIS_CALL(
      Kind.HISTOGRAM,
      "tollgate_redis_call_seconds",
      "From asking Redis for a request's limits to its answer."),
  REDIS_FAILURES(
      Kind.COUNTER,
      "tollgate_redis_failures_total",
      "Calls that Redis did not answer, by why.",
      List.of("reason")),
  REDIS_UP(Kind.GAUGE, "tollgate_redis_up", "1 while Redis is asked, 0 while it is only probed."),
  REDIS_WAITING(
      Kind.GAUGE, "tollgate_redis_calls_waiting", "Calls that wait for an answer of Redis."),
  OUTPUTS_STORED(
      Kind.COUNTER, "tollgate_outputs_stored_total", "Outputs that were stored for clients."),
  OUTPUT_BYTES(Kind.COUNTER, "tollgate_outputs_stored_bytes_total", "Bytes of stored outputs."),
  OUTPUT_STORE_DURATION(
      Kind.HISTOGRAM,
      "tollgate_output_store_seconds",
      "From asking the object storage to keep an output to its answer."),
  OUTPUT_FAILURES(
      Kind.COUNTER,
      "tollgate_output_failures_total",
      "Outputs that could not be stored or deleted, by why.",
      List.of("reason")),
  OUTPUTS_EXPIRED(
      Kind.COUNTER,
      "tollgate_outputs_expired_total",
      "Outputs that were deleted from the directory because their time was over."),
  DOWNLOADS(Kind.GAUGE, "tollgate_downloads", "Outputs that clients fetch from the directory now."),
  FETCHES(
      Kind.COUNTER,
      "tollgate_fetches_total",
      "Images that were to be fetched from clients' URLs, by what became of it.",
      List.of("outcome")),
  FETCHED_BYTES(
      Kind.COUNTER, "tollgate_fetched_bytes_total", "Bytes of the images that were fetched."),
  FETCH_DURATION(
      Kind.HISTOGRAM,
      "tollgate_fetch_duration_seconds",
      "From a URL to its image, or to why there is none."),
  FETCHES_IN_FLIGHT(
      Kind.GAUGE, "tollgate_fetches_in_flight", "Images that are being fetched from URLs."),
  NAME_LOOK_UPS(
      Kind.GAUGE, "tollgate_name_look_ups", "Names of clients' URLs that DNS is being asked for."),
  WEBHOOK_ATTEMPTS(
      Kind.COUNTER,
      "tollgate_webhook_attempts_total",
      "Attempts to announce a finished job, by what became of them.",
      List.of("outcome")),
  WEBHOOK_DELIVERIES(
      Kind.COUNTER,
      "tollgate_webhook_deliveries_total",
      "Announcements that ended: delivered, gone or failed.",
      List.of("outcome")),
  WEBHOOK_ATTEMPT_DURATION(
      Kind.HISTOGRAM,
      "tollgate_webhook_attempt_seconds",
      "From the look-up of a receiver's name to its answer, or to why there is none."),
  WEBHOOK_DELAY(
      Kind.HISTOGRAM,
      "tollgate_webhook_first_attempt_delay_seconds",
      "From a job's end to the first attempt to announce it."),
  WEBHOOKS_IN_FLIGHT(
      Kind.GAUGE, "tollgate_webhooks_in_flight", "Announcements that are being made."),
  WEBHOOKS_PENDING(
      Kind.GAUGE,
      "tollgate_webhooks_pending",
      "Announcements of all nodes that have not ended, as counted last."),
  WEBHOOKS_OVERDUE(
      Kind.GAUGE,
      "tollgate_webhooks_overdue_seconds",
      "For how long the oldest attempt of all nodes is due, as counted last."),
  JOBS_CLAIMED(
      Kind.COUNTER,
      "tollgate_jobs_claimed_total",
      "Turns that this node's workers took at videos and music."),
  JOBS_IN_WORK(
      Kind.GAUGE,
      "tollgate_jobs_in_work",
      "Jobs that this node's workers have now, at most media.workers."),
  JOBS_ENDED(
      Kind.COUNTER,
      "tollgate_jobs_ended_total",
      "Jobs that ended at this node's workers, by how.",
      List.of("kind", "status")),
  JOB_WAIT(
      Kind.HISTOGRAM,
      "tollgate_job_wait_seconds",
      "From a job's submission to its acceptance by a provider.",
      List.of("kind")),
  JOB_DURATION(
      Kind.HISTOGRAM,
      "tollgate_job_duration_seconds",
      "From a job's submission to its end.",
      List.of("kind", "status")),
  JOB_LOOKS_IN_VAIN(
      Kind.COUNTER,
      "tollgate_job_looks_in_vain_total",
      "Turns at a job after which nobody knew more than before."),
  JOB_LEASES_LOST(
      Kind.COUNTER,
      "tollgate_job_leases_lost_total",
      "Jobs that another worker took up while one here was at them."),
  ARTIFACTS_COPIED(
      Kind.COUNTER,
      "tollgate_artifacts_copied_total",
      "Files of jobs that were copied into the object storage."),
  ARTIFACT_BYTES(Kind.COUNTER, "tollgate_artifacts_copied_bytes_total", "Bytes of these files."),
  ARTIFACT_FAILURES(
      Kind.COUNTER,
      "tollgate_artifact_copy_failures_total",
      "Files of jobs that could not be copied, each try."),
  ARTIFACTS_DELETED(
      Kind.COUNTER,
      "tollgate_artifacts_deleted_total",
      "Files of jobs that were deleted because their time was over or their job was removed."),
  READY(Kind.GAUGE, "tollgate_ready", "1 while /readyz says 200."),
  START_DURATION(
      Kind.GAUGE, "tollgate_start_duration_seconds", "From the start of serving to ready.");

  private final Kind kind;
  private final String metric;
  private final String help;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of alone
  private final List<String> labels;

  Family(Kind kind, String metric, String help) {
    this(kind, metric, help, List.of());
  }

  Family(Kind kind, String metric, String help, List<String> labels) {
    this.kind = kind;
    this.metric = metric;
    this.help = help;
    this.labels = labels;
  }

  public Kind kind() {
    return kind;
  }

  /** The name that Prometheus sees. */
  public String metric() {
    return metric;
  }

  public String help() {
    return help;
  }

  public List<String> labels() {
    return labels;
  }
}
