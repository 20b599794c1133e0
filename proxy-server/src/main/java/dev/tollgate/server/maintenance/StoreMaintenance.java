package dev.tollgate.server.maintenance;

import dev.tollgate.server.metrics.LedgerFamily;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.jobs.ExpiredSubmissions;
import dev.tollgate.server.postgres.jobs.JobRows;
import dev.tollgate.server.postgres.ledger.LedgerAudit;
import dev.tollgate.server.postgres.ledger.LedgerAudit.Violation;
import dev.tollgate.server.postgres.ledger.LedgerPartitions;
import dev.tollgate.server.postgres.tenants.WebhookSecrets;
import dev.tollgate.server.postgres.webhook.WebhookEvents;
import dev.tollgate.server.settings.LedgerSettings;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the store needs now and then, whichever node does it: days are made, closed and dropped, the
 * sums are audited, nodes that never came back let go of their money, and submissions and jobs are
 * forgotten.
 */
public final class StoreMaintenance implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(StoreMaintenance.class);
  private static final Duration INTERVAL = Duration.ofMinutes(1);
  private static final Duration PARTITION_INTERVAL = Duration.ofHours(1);

  /** As long as attempts of webhooks: whoever looks at one finds its job. */
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
  private final LedgerSettings settings;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("ledger-upkeep").daemon().factory());
  private final LongAdder dropped = new LongAdder();
  private volatile long violations;
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
    this.settings = settings;
  }

  public void register(Metrics metrics) {
    metrics.gauge(LedgerFamily.LEDGER_AUDIT_VIOLATIONS, () -> violations);
    metrics.gauge(LedgerFamily.LEDGER_AUDIT_AGE, () -> (System.nanoTime() - auditedNanos) / 1e9);
    metrics.counter(LedgerFamily.LEDGER_PARTITIONS_DROPPED, dropped::sum);
    metrics.gauge(LedgerFamily.LEDGER_UNRESPONSIVE_NODES, lostNodes::unresponsive);
  }

  public void start() {
    Duration interval = settings.auditInterval();
    long round = (interval.compareTo(INTERVAL) < 0 ? interval : INTERVAL).toNanos();
    thread.scheduleWithFixedDelay(this::runOnce, round, round, TimeUnit.NANOSECONDS);
  }

  private void runOnce() {
    maintainPartitions();
    attempt("audit", this::audit);
    attempt("nodes", lostNodes::check);
    attempt("expired submissions", submissions::deleteExpired);
    attempt("old jobs", () -> jobs.tidy(JOBS_KEPT, JOBS_PER_STATEMENT));
  }

  private interface Work {
    void run() throws SQLException;
  }

  /** What fails does not keep the rest from being done, and is done again in its next round. */
  private static void attempt(String what, Work work) {
    try {
      work.run();
    } catch (SQLException | RuntimeException e) {
      log.warn("the ledger's upkeep ({}) failed and is tried again: {}", what, e.getMessage());
    }
  }

  // Days

  private void maintainPartitions() {
    if (System.nanoTime() - nextPartitionsNanos < 0) {
      return;
    }
    // First: what fails on every node must not be tried by each of them in every round.
    nextPartitionsNanos = System.nanoTime() + PARTITION_INTERVAL.toNanos();
    attempt("days to come", partitions::createAhead);
    attempt("days that are over", partitions::close);
    attempt("old days", this::dropPartitions);
    attempt("old leases", partitions::tidy);
    attempt("old attempts of webhooks", webhooks::tidy);
    attempt("secrets in the clear", this::sealSecrets);
  }

  private void sealSecrets() throws SQLException {
    int sealed = secrets.sealClear().organizations();
    if (sealed > 0) {
      log.info("sealed the webhook secrets of {} organizations that lay in the clear", sealed);
    }
  }

  private void dropPartitions() throws SQLException {
    var kept = settings.retention();
    var droppedDays = partitions.dropExpired(kept.charges(), kept.requests());
    report("charges", droppedDays.charges());
    report("the request log", droppedDays.requests());
  }

  private void report(String what, List<LocalDate> days) {
    for (LocalDate day : days) {
      dropped.increment();
      log.info("dropped {} of {}", what, day);
    }
  }

  // Sums

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
                log.error(
                    "the ledger's invariant {} does not hold for {}: {}",
                    each.invariant(),
                    each.scope(),
                    each.what()));
    if (found.size() > VIOLATIONS_LOGGED) {
      log.error("{} more; tollgate ledger audit lists them", found.size() - VIOLATIONS_LOGGED);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
