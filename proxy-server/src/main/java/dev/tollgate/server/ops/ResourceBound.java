package dev.tollgate.server.ops;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.server.metrics.AccountFamily;
import dev.tollgate.server.metrics.ControlFamily;
import dev.tollgate.server.metrics.IdempotencyFamily;
import dev.tollgate.server.metrics.JobFamily;
import dev.tollgate.server.metrics.LedgerFamily;
import dev.tollgate.server.metrics.LimitFamily;
import dev.tollgate.server.metrics.LoadFamily;
import dev.tollgate.server.metrics.MetricFamily;
import dev.tollgate.server.metrics.OutputFamily;
import dev.tollgate.server.metrics.ProcessFamily;
import dev.tollgate.server.metrics.ProviderFamily;
import dev.tollgate.server.metrics.RequestFamily;
import dev.tollgate.server.metrics.StoreFamily;
import dev.tollgate.server.metrics.WebhookFamily;

/**
 * Table of every queue or buffer that clients can fill, with its bound, metric and overflow
 * behavior. A test compares this table with {@code docs/overload.md}, and fails for a queue that is
 * missing here.
 */
public enum ResourceBound {
  ACCEPT_BACKLOG("4096", LoadFamily.LOAD_LEVEL, WhenFull.CLOSED),
  CONNECTIONS("listeners.api.max_connections", RequestFamily.CONNECTIONS_REFUSED, WhenFull.CLOSED),
  UNPROVEN_CONNECTIONS(
      "listeners.api.max_unproven_connections_per_address",
      RequestFamily.CONNECTIONS_EVICTED,
      WhenFull.SILENT_CLOSED),
  ADMIN_CONNECTIONS("128", ProcessFamily.ADMIN_CONNECTIONS_EVICTED, WhenFull.SILENT_CLOSED),
  CONTROL_CONNECTIONS(
      "listeners.control.max_connections",
      ControlFamily.CONTROL_CONNECTIONS,
      WhenFull.SILENT_CLOSED),
  CONTROL_CALLS(
      "control_plane.requests_max",
      ControlFamily.CONTROL_CALLS,
      new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  REQUEST_HEAD(
      "listeners.api.max_header_bytes",
      RequestFamily.REQUESTS,
      new WhenFull.Refused(ErrorCode.REQUEST_TOO_LARGE)),
  PIPELINED_BYTES("16KiB", RequestFamily.CONNECTIONS, WhenFull.CLOSED),
  REQUEST_BODY(
      "listeners.api.max_request_bytes",
      RequestFamily.REQUESTS,
      new WhenFull.Refused(ErrorCode.REQUEST_TOO_LARGE)),
  REFUSED_BODIES("256", RequestFamily.REFUSED_BODIES, WhenFull.CLOSED),
  INFLIGHT_BYTES(
      "server.max_inflight_bytes",
      ProcessFamily.INFLIGHT_BYTES,
      new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  REQUESTS(
      "server.max_requests",
      LoadFamily.REQUESTS_ADMITTED,
      new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  UNSENT_BYTES("16KiB", ProcessFamily.BUFFER_BYTES, WhenFull.WAITS),
  LOOP_TASKS(
      "server.max_requests",
      LoadFamily.EVENT_LOOP_DELAY,
      new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  UPSTREAM_CONNECTIONS(
      "providers.*.pool.max_connections", ProviderFamily.UPSTREAM_CONNECTIONS, WhenFull.WAITS),
  UPSTREAM_PENDING(
      "providers.*.pool.pending",
      ProviderFamily.UPSTREAM_PENDING,
      new WhenFull.Refused(ErrorCode.PROVIDER_UNAVAILABLE)),
  UPSTREAM_EVENT(
      "providers.*.max_event_bytes",
      ProviderFamily.ATTEMPTS,
      new WhenFull.Refused(ErrorCode.PROVIDER_FAILURE)),
  ORG_CIRCUITS("4096", ProviderFamily.ORG_CIRCUITS, WhenFull.EVICTED),
  FETCHES(
      "256", OutputFamily.FETCHES_IN_FLIGHT, new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  FETCHES_OF_ORG("32", OutputFamily.FETCHES, new WhenFull.Refused(ErrorCode.CONCURRENCY_EXCEEDED)),
  FETCHED_IMAGE(
      "security.fetch.max_bytes",
      OutputFamily.FETCHES,
      new WhenFull.Refused(ErrorCode.VALIDATION_FAILED)),
  MEDIA_URLS("100", RequestFamily.REQUESTS, new WhenFull.Refused(ErrorCode.VALIDATION_FAILED)),
  NAME_LOOK_UPS(
      "256", OutputFamily.NAME_LOOK_UPS, new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  IMAGE_REPLY(
      "providers.*.max_image_reply_bytes",
      ProviderFamily.ATTEMPTS,
      new WhenFull.Refused(ErrorCode.PROVIDER_FAILURE)),
  KEY_LOOK_UPS(
      "32", StoreFamily.AUTH_LOOK_UPS, new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  UNKNOWN_KEY_LOOK_UPS(
      "40", StoreFamily.AUTH_LOOK_UPS, new WhenFull.Refused(ErrorCode.RATE_LIMITED)),
  KEY_LOOK_UP_BUDGETS("65536", StoreFamily.AUTH_CALLERS, WhenFull.EVICTED),
  KEY_IDS("1000000", StoreFamily.AUTH_KEY_IDS, WhenFull.LEFT_OUT),
  REFUSAL_BUDGETS("100000", LimitFamily.REFUSAL_BUCKETS, WhenFull.EVICTED),
  KEY_CACHE("100000", StoreFamily.AUTH_CACHE_KEYS, WhenFull.EVICTED),
  OFFLOAD_QUEUE(
      "server.overload.offload_queue",
      StoreFamily.OFFLOAD_DEPTH,
      new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  BODY_QUEUE("256", LoadFamily.BODY_QUEUE, new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  IDEMPOTENCY_QUEUE(
      "1000",
      IdempotencyFamily.IDEMPOTENCY_QUEUE,
      new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  IDEMPOTENCY_CLAIMS(
      "server.idempotency.max_pending_per_org",
      IdempotencyFamily.IDEMPOTENCY_CLAIMS,
      new WhenFull.Refused(ErrorCode.CONCURRENCY_EXCEEDED)),
  IDEMPOTENCY_BYTES(
      "server.idempotency.max_org_bytes",
      IdempotencyFamily.IDEMPOTENCY_NOT_KEPT,
      new WhenFull.Refused(ErrorCode.IDEMPOTENCY_CONFLICT)),
  JOBS_QUEUE("1000", JobFamily.JOBS_QUEUE, new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  JOB_QUERIES_QUEUE(
      "1000", JobFamily.JOB_QUERIES_QUEUE, new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  JOBS_OF_ORG(
      "128", JobFamily.JOB_SUBMISSIONS, new WhenFull.Refused(ErrorCode.CONCURRENCY_EXCEEDED)),
  JOBS_AT_PROVIDER("media.max_open_jobs", JobFamily.JOBS_DEFERRED, WhenFull.IN_STORE),
  SPOOL_BYTES("media.max_spool_bytes", JobFamily.SPOOL_BYTES, WhenFull.IN_STORE),
  LEDGER_WAITING(
      "10000", LedgerFamily.LEDGER_WAITING, new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  JOURNAL_QUEUE(
      "20000", LedgerFamily.LEDGER_QUEUED, new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  JOURNAL_IN_MEMORY("10000", LedgerFamily.LEDGER_BACKLOG, WhenFull.TO_DISK),
  JOURNAL_BACKLOG(
      "server.overload.journal_backlog",
      LedgerFamily.LEDGER_BACKLOG,
      new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  DOWNLOADS("256", OutputFamily.DOWNLOADS, new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  DISK_TASKS(
      "1000", OutputFamily.OUTPUT_FAILURES, new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  PASSWORD_QUEUE("16", AccountFamily.PASSWORD_QUEUE, new WhenFull.Refused(ErrorCode.RATE_LIMITED)),
  WEBHOOKS("256", WebhookFamily.WEBHOOKS_IN_FLIGHT, WhenFull.IN_STORE),
  REQUEST_LOG("8192", RequestFamily.REQUEST_LOG_DROPPED, WhenFull.DROPPED),
  REFUSAL_COUNTS("65536", RequestFamily.REFUSALS_DROPPED, WhenFull.DROPPED),
  LOG_RING("8192", ProcessFamily.LOG_DROPPED, WhenFull.DROPPED),
  REFUSAL_CACHE("4096", RequestFamily.REQUESTS, WhenFull.EVICTED),
  REDIS_CALLS(
      "4096", LimitFamily.REDIS_WAITING, new WhenFull.Refused(ErrorCode.SERVICE_UNAVAILABLE)),
  REDIS_RELEASES("8192", LimitFamily.REDIS_FAILURES, WhenFull.DROPPED);

  private final String limit;

  @SuppressWarnings("ImmutableEnumChecker") // metric families are constants of enums
  private final MetricFamily metric;

  @SuppressWarnings("ImmutableEnumChecker") // records of immutable values
  private final WhenFull whenFull;

  ResourceBound(String limit, MetricFamily metric, WhenFull whenFull) {
    this.limit = limit;
    this.metric = metric;
    this.whenFull = whenFull;
  }

  /** Treatment of work beyond the bound of a queue or buffer. */
  public sealed interface WhenFull {
    WhenFull CLOSED = new Effect("closed");
    WhenFull SILENT_CLOSED = new Effect("the one that was silent longest is closed");
    WhenFull WAITS = new Effect("waits at its sender");
    WhenFull DROPPED = new Effect("dropped and counted");
    WhenFull EVICTED = new Effect("an older entry is evicted");
    WhenFull LEFT_OUT = new Effect("further entries are left out");
    WhenFull IN_STORE = new Effect("waits in the store");
    WhenFull TO_DISK = new Effect("read back from the disk later");

    /** The request is refused with this error. */
    record Refused(ErrorCode code) implements WhenFull {}

    /** The client gets no error; the text describes the effect. */
    record Effect(String text) implements WhenFull {}
  }

  /** Returns the configuration key, or the number if the bound is fixed. */
  public String limit() {
    return limit;
  }

  public MetricFamily metric() {
    return metric;
  }

  public WhenFull whenFull() {
    return whenFull;
  }
}
