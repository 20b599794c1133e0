package dev.tollgate.server.maintenance;

import dev.tollgate.server.metrics.AccountFamily;
import dev.tollgate.server.metrics.LedgerFamily;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.RequestFamily;
import dev.tollgate.server.metrics.StoreFamily;
import dev.tollgate.server.outage.StoreOutage;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.jobs.ExpiredSubmissions;
import dev.tollgate.server.postgres.jobs.JobRows;
import dev.tollgate.server.postgres.ledger.LedgerAudit;
import dev.tollgate.server.postgres.ledger.LedgerAudit.Violation;
import dev.tollgate.server.postgres.ledger.LedgerPartitions;
import dev.tollgate.server.postgres.tenants.AccountRetention;
import dev.tollgate.server.postgres.tenants.WebhookSecrets;
import dev.tollgate.server.postgres.webhook.WebhookEvents;
import dev.tollgate.server.settings.LedgerSettings;
import dev.tollgate.server.settings.value.ByteSize;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodic maintenance of the PostgreSQL store, which every node may run: daily partitions, audits,
 * leases of lost nodes, and deletion of expired rows. It creates, closes and drops partitions,
 * audits the sums, and deletes expired submissions and jobs and what accounts left behind.
 */
public final class StoreMaintenance implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreMaintenance.class);
  private static final Duration INTERVAL = Duration.ofMinutes(1);
  private static final Duration PARTITION_INTERVAL = Duration.ofHours(1);

  /** As long as webhook attempts, so that the job of each one can be found. */
  private static final Duration JOBS_KEPT = Duration.ofDays(30);

  private static final int JOBS_PER_STATEMENT = 500;

  private static final int VIOLATIONS_LOGGED = 10;

  private final LedgerPartitions partitions;
  private final LedgerAudit audit;
  private final LostNodes lostNodes;
  private final ExpiredSubmissions submissions;
  private final WebhookEvents webhooks;
  private final WebhookSecrets secrets;
  private final JobRows jobs;
  private final AccountRetention accounts;
  private final LedgerSettings settings;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("store-maintenance").daemon().factory());
  private final StoreOutage outage = new StoreOutage(LOG, "tasks of the store's maintenance");
  private final LongAdder dropped = new LongAdder();
  private final LongAdder requestsForAge = new LongAdder();
  private final LongAdder requestsForSize = new LongAdder();
  private volatile long requestLogBytes;
  private volatile long violations;
  private volatile long sessions;
  private volatile long auditedNanos = System.nanoTime();
  private long nextPartitionsNanos = System.nanoTime();

  public StoreMaintenance(Store store, LedgerSettings settings) {
    this.partitions = store.ledgerPartitions();
    this.audit = store.ledgerAudit();
    this.lostNodes =
        new LostNodes(store.ledgerNodes(), settings.leaseTtl(), InstantSource.system());
    this.submissions = store.expiredSubmissions();
    this.webhooks = store.webhookEvents();
    this.secrets = store.webhookSecrets();
    this.jobs = store.jobRows();
    this.accounts = store.accountRetention();
    this.settings = settings;
  }

  public void register(Metrics metrics) {
    metrics.gauge(StoreFamily.STORE_FAILING, "maintenance", outage::gauge);
    metrics.gauge(LedgerFamily.LEDGER_AUDIT_VIOLATIONS, () -> violations);
    metrics.gauge(LedgerFamily.LEDGER_AUDIT_AGE, () -> (System.nanoTime() - auditedNanos) / 1e9);
    metrics.counter(LedgerFamily.LEDGER_PARTITIONS_DROPPED, dropped::sum);
    metrics.counters(
        RequestFamily.REQUEST_LOG_PARTITIONS_DROPPED,
        () ->
            Map.of(List.of("time"), requestsForAge.sum(), List.of("size"), requestsForSize.sum()));
    metrics.gauge(AccountFamily.SESSIONS, () -> sessions);
    metrics.gauge(RequestFamily.REQUEST_LOG_BYTES, () -> requestLogBytes);
    metrics.gauge(LedgerFamily.LEDGER_UNRESPONSIVE_NODES, lostNodes::unresponsive);
  }

  public void start() {
    Duration interval = settings.auditInterval();
    long round = (interval.compareTo(INTERVAL) < 0 ? interval : INTERVAL).toNanos();
    thread.scheduleWithFixedDelay(this::runOnce, round, round, TimeUnit.NANOSECONDS);
  }

  private void runOnce() {
    maintainPartitions();
    attempt("size of the request log", this::limitRequestLog);
    attempt("audit", this::audit);
    attempt("nodes", lostNodes::check);
    attempt("number of sessions", () -> sessions = accounts.liveSessions());
    attempt("expired submissions", submissions::deleteExpired);
    attempt("old jobs", () -> jobs.tidy(JOBS_KEPT, JOBS_PER_STATEMENT));
  }

  private interface Work {
    void run() throws SQLException;
  }

  /** Runs one task. A failure does not stop the other tasks, and is retried in the next round. */
  private void attempt(String what, Work work) {
    long begunNanos = System.nanoTime();
    try {
      work.run();
      outage.succeeded(begunNanos);
    } catch (SQLException | RuntimeException e) {
      if (!outage.isCauseOf(e)) {
        LOG.warn(
            "the store's maintenance ({}) failed and will be retried: {}", what, e.getMessage());
      }
    }
  }

  // Partitions

  private void maintainPartitions() {
    if (System.nanoTime() - nextPartitionsNanos < 0) {
      return;
    }
    // Set first: a task that fails on every node must not be retried by all of them in every round.
    nextPartitionsNanos = System.nanoTime() + PARTITION_INTERVAL.toNanos();
    attempt("future partitions", partitions::createAhead);
    attempt("future months of the audit log", accounts::createMonths);
    attempt("what accounts left behind", accounts::deleteExpired);
    attempt("past days", partitions::close);
    attempt("old partitions", this::dropPartitions);
    attempt("old leases, counts and sums", partitions::tidy);
    attempt("old webhook attempts", webhooks::tidy);
    attempt("unsealed secrets", this::sealSecrets);
  }

  private void sealSecrets() throws SQLException {
    int sealed = secrets.sealClear().organizations();
    if (sealed > 0) {
      LOG.info(
          "sealed the webhook secrets of {} organizations that were stored in the clear", sealed);
    }
  }

  private void dropPartitions() throws SQLException {
    var kept = settings.retention();
    var droppedDays = partitions.dropExpired(kept.charges(), kept.requests().time());
    report("charges", droppedDays.charges());
    report("the request log", droppedDays.requests());
    requestsForAge.add(droppedDays.requests().size());
  }

  private void limitRequestLog() throws SQLException {
    long bytesMax = settings.retention().requests().bytesMax();
    if (bytesMax > 0) {
      dropRequestsAbove(bytesMax);
    }
    requestLogBytes = partitions.requestLogBytes();
  }

  /** Counts each day at once: the next one may have to wait for a lock. */
  private void dropRequestsAbove(long bytesMax) throws SQLException {
    Optional<LocalDate> day = partitions.dropRequestsAbove(bytesMax);
    while (day.isPresent()) {
      dropped.increment();
      requestsForSize.increment();
      LOG.warn(
          "dropped the request log of {}, because the log was larger than"
              + " ledger.retention.requests.size ({})",
          day.get(),
          ByteSize.print(bytesMax));
      day = partitions.dropRequestsAbove(bytesMax);
    }
  }

  private void report(String what, List<LocalDate> days) {
    for (LocalDate day : days) {
      dropped.increment();
      LOG.info("dropped {} of {}", what, day);
    }
  }

  // Audit

  private void audit() throws SQLException {
    audit.runIfDue(settings.auditInterval()).ifPresent(StoreMaintenance::report);
    audit
        .last()
        .ifPresent(
            last -> {
              violations = last.violations();
              auditedNanos = System.nanoTime() - last.age().toNanos();
            });
  }

  private static void report(List<Violation> found) {
    found.stream()
        .limit(VIOLATIONS_LOGGED)
        .forEach(
            each ->
                LOG.error(
                    "the ledger's invariant {} does not hold for {}: {}",
                    each.invariant(),
                    each.scope(),
                    each.what()));
    if (found.size() > VIOLATIONS_LOGGED) {
      LOG.error("{} more; tollgate ledger audit lists them", found.size() - VIOLATIONS_LOGGED);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
