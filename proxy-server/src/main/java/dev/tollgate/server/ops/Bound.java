package dev.tollgate.server.ops;

import dev.tollgate.core.fault.ErrorCode;

/**
 * Every place where work of others gathers, with what keeps it from growing: the one table, kept in
 * step with {@code docs/overload.md}. A queue that is not here fails a test.
 */
public enum Bound {
  ACCEPT_BACKLOG("4096", Family.LOAD_LEVEL, Full.CLOSED),
  CONNECTIONS("listeners.api.max_connections", Family.CONNECTIONS_REFUSED, Full.CLOSED),
  REQUEST_HEAD(
      "listeners.api.max_header_bytes",
      Family.REQUESTS,
      new Full.Refused(ErrorCode.REQUEST_TOO_LARGE)),
  PIPELINED_BYTES("16KiB", Family.CONNECTIONS, Full.CLOSED),
  REQUEST_BODY(
      "listeners.api.max_request_bytes",
      Family.REQUESTS,
      new Full.Refused(ErrorCode.REQUEST_TOO_LARGE)),
  REFUSED_BODIES("256", Family.REFUSED_BODIES, Full.CLOSED),
  INFLIGHT_BYTES(
      "server.max_inflight_bytes",
      Family.INFLIGHT_BYTES,
      new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  REQUESTS(
      "server.max_requests",
      Family.REQUESTS_ADMITTED,
      new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  UNSENT_BYTES("16KiB", Family.BUFFER_BYTES, Full.WAITS),
  LOOP_TASKS(
      "server.max_requests", Family.LOOP_WAIT, new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  UPSTREAM_CONNECTIONS("providers.*.pool.max_connections", Family.UPSTREAM_CONNECTIONS, Full.WAITS),
  UPSTREAM_PENDING(
      "providers.*.pool.pending",
      Family.UPSTREAM_PENDING,
      new Full.Refused(ErrorCode.PROVIDER_UNAVAILABLE)),
  UPSTREAM_EVENT(
      "providers.*.max_event_bytes", Family.ATTEMPTS, new Full.Refused(ErrorCode.PROVIDER_FAILURE)),
  FETCHES("256", Family.FETCHES_IN_FLIGHT, new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  FETCHES_OF_ORG("32", Family.FETCHES, new Full.Refused(ErrorCode.CONCURRENCY_EXCEEDED)),
  FETCHED_IMAGE(
      "security.fetch.max_bytes", Family.FETCHES, new Full.Refused(ErrorCode.VALIDATION_FAILED)),
  NAME_LOOK_UPS("256", Family.NAME_LOOK_UPS, new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  IMAGE_REPLY(
      "providers.*.max_image_reply_bytes",
      Family.ATTEMPTS,
      new Full.Refused(ErrorCode.PROVIDER_FAILURE)),
  KEY_LOOK_UPS("32", Family.AUTH_LOOK_UPS, new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  KEY_CACHE("100000", Family.AUTH_CACHE_KEYS, Full.EVICTED),
  OFFLOAD_QUEUE(
      "server.overload.offload_queue",
      Family.OFFLOAD_DEPTH,
      new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  IDEMPOTENCY_QUEUE(
      "1000", Family.IDEMPOTENCY_QUEUE, new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  IDEMPOTENCY_CLAIMS(
      "server.idempotency.max_org_claims",
      Family.IDEMPOTENCY_CLAIMS,
      new Full.Refused(ErrorCode.CONCURRENCY_EXCEEDED)),
  IDEMPOTENCY_BYTES(
      "server.idempotency.max_org_bytes",
      Family.IDEMPOTENCY_NOT_KEPT,
      new Full.Refused(ErrorCode.IDEMPOTENCY_CONFLICT)),
  JOBS_QUEUE("1000", Family.JOBS_QUEUE, new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  JOB_LOOKS_QUEUE("1000", Family.JOB_LOOKS_QUEUE, new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  JOBS_OF_ORG("128", Family.JOB_SUBMISSIONS, new Full.Refused(ErrorCode.CONCURRENCY_EXCEEDED)),
  JOBS_AT_PROVIDER("media.max_open_jobs", Family.JOBS_HELD_BACK, Full.IN_STORE),
  SPOOL_BYTES("media.max_spool_bytes", Family.SPOOL_BYTES, Full.IN_STORE),
  LEDGER_WAITING("10000", Family.LEDGER_WAITING, new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  JOURNAL_QUEUE("20000", Family.LEDGER_QUEUED, new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  JOURNAL_IN_MEMORY("10000", Family.LEDGER_BACKLOG, Full.TO_DISK),
  JOURNAL_BACKLOG(
      "server.overload.journal_backlog",
      Family.LEDGER_BACKLOG,
      new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  DOWNLOADS("256", Family.DOWNLOADS, new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  DISK_TASKS("1000", Family.OUTPUT_FAILURES, new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  WEBHOOKS("256", Family.WEBHOOKS_IN_FLIGHT, Full.IN_STORE),
  REQUEST_LOG("8192", Family.REQUEST_LOG_DROPPED, Full.DROPPED),
  LOG_RING("8192", Family.LOG_DROPPED, Full.DROPPED),
  REFUSAL_CACHE("4096", Family.REQUESTS, Full.EVICTED),
  REDIS_CALLS("4096", Family.REDIS_WAITING, new Full.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  REDIS_ENDS("8192", Family.REDIS_FAILURES, Full.DROPPED);

  private final String limit;
  private final Family metric;

  @SuppressWarnings("ImmutableEnumChecker") // records of what cannot change
  private final Full full;

  Bound(String limit, Family metric, Full full) {
    this.limit = limit;
    this.metric = metric;
    this.full = full;
  }

  /** What becomes of what finds no room. */
  public sealed interface Full {
    Full CLOSED = new Fate("closed");
    Full WAITS = new Fate("waits at its sender");
    Full DROPPED = new Fate("dropped and counted");
    Full EVICTED = new Fate("takes another's place");
    Full IN_STORE = new Fate("waits in the store");
    Full TO_DISK = new Fate("read back from the disk later");

    /** Told to the client. */
    record Refused(ErrorCode code) implements Full {}

    /** Nobody need be told. */
    record Fate(String text) implements Full {}
  }

  /** The key of the configuration, or the number where it is fixed. */
  public String limit() {
    return limit;
  }

  public Family metric() {
    return metric;
  }

  public Full full() {
    return full;
  }
}
