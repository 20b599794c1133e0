package dev.tollgate.server.wiring;

import dev.tollgate.server.ops.Family;
import dev.tollgate.server.ops.Metrics;
import dev.tollgate.server.postgres.ExpiredSubmissions;
import dev.tollgate.server.postgres.JobRows;
import dev.tollgate.server.postgres.LedgerAudit;
import dev.tollgate.server.postgres.LedgerAudit.Violation;
import dev.tollgate.server.postgres.LedgerDays;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.WebhookEvents;
import dev.tollgate.server.postgres.WebhookSecrets;
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
final class Upkeep implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Upkeep.class);
  private static final Duration ROUND = Duration.ofMinutes(1);
  private static final Duration DAYS = Duration.ofHours(1);

  /** As long as attempts of webhooks: whoever looks at one finds its job. */
  private static final Duration JOBS_KEPT = Duration.ofDays(30);

  private static final int JOBS_PER_STATEMENT = 500;

  private static final int VIOLATIONS_LOGGED = 10;

  private final LedgerDays days;
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
  private long nextDaysNanos = System.nanoTime();

  Upkeep(Store store, LedgerSettings settings) {
    this.days = store.ledgerDays();
    this.audit = store.ledgerAudit();
    this.lostNodes =
        new LostNodes(store.ledgerNodes(), settings.leaseTtl(), InstantSource.system());
    this.submissions = store.expiredSubmissions();
    this.webhooks = store.webhookEvents();
    this.secrets = store.webhookSecrets();
    this.jobs = store.jobRows();
    this.settings = settings;
  }

  void register(Metrics metrics) {
    metrics.gauge(Family.LEDGER_AUDIT_VIOLATIONS, () -> violations);
    metrics.gauge(Family.LEDGER_AUDIT_AGE, () -> (System.nanoTime() - auditedNanos) / 1e9);
    metrics.counter(Family.LEDGER_DAYS_DROPPED, dropped::sum);
    metrics.gauge(Family.LEDGER_SILENT_NODES, lostNodes::silent);
  }

  void start() {
    Duration interval = settings.auditInterval();
    long round = (interval.compareTo(ROUND) < 0 ? interval : ROUND).toNanos();
    thread.scheduleWithFixedDelay(this::round, round, round, TimeUnit.NANOSECONDS);
  }

  private void round() {
    keepDays();
    attempt("audit", this::audit);
    attempt("nodes", lostNodes::look);
    attempt("expired submissions", submissions::forget);
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

  private void keepDays() {
    if (System.nanoTime() - nextDaysNanos < 0) {
      return;
    }
    // First: what fails on every node must not be tried by each of them in every round.
    nextDaysNanos = System.nanoTime() + DAYS.toNanos();
    attempt("days to come", days::make);
    attempt("days that are over", days::close);
    attempt("old days", this::dropDays);
    attempt("old leases", days::tidy);
    attempt("old attempts of webhooks", webhooks::tidy);
    attempt("secrets in the clear", this::sealSecrets);
  }

  private void sealSecrets() throws SQLException {
    int sealed = secrets.sealClear().organizations();
    if (sealed > 0) {
      log.info("sealed the webhook secrets of {} organizations that lay in the clear", sealed);
    }
  }

  private void dropDays() throws SQLException {
    var kept = settings.retention();
    var gone = days.retain(kept.charges(), kept.requests());
    tell("charges", gone.charges());
    tell("the request log", gone.requests());
  }

  private void tell(String what, List<LocalDate> days) {
    for (LocalDate day : days) {
      dropped.increment();
      log.info("dropped {} of {}", what, day);
    }
  }

  // Sums

  private void audit() throws SQLException {
    audit.runInTurn(settings.auditInterval()).ifPresent(Upkeep::tell);
    audit
        .last()
        .ifPresent(
            last -> {
              violations = last.violations();
              auditedNanos = System.nanoTime() - last.age().toNanos();
            });
  }

  private static void tell(List<Violation> found) {
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
