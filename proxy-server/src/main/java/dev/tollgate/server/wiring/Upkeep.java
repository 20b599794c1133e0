package dev.tollgate.server.wiring;

import dev.tollgate.server.ops.Family;
import dev.tollgate.server.ops.Metrics;
import dev.tollgate.server.postgres.LedgerAudit;
import dev.tollgate.server.postgres.LedgerAudit.Violation;
import dev.tollgate.server.postgres.LedgerDays;
import dev.tollgate.server.postgres.LedgerNodes;
import dev.tollgate.server.postgres.LedgerNodes.Node;
import dev.tollgate.server.postgres.LedgerNodes.Release;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.LedgerSettings;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the books need now and then, whichever node does it: days are made, closed and dropped, the
 * sums are audited, and nodes that never came back let go of their money.
 */
final class Upkeep implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Upkeep.class);
  private static final Duration ROUND = Duration.ofMinutes(1);
  private static final Duration DAYS = Duration.ofHours(1);

  /** After an outage of the store every node has this long to be heard of again. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final Duration SILENT = Duration.ofSeconds(60);
  private static final Duration RELEASED_AFTER = Duration.ofHours(24);
  private static final int VIOLATIONS_LOGGED = 10;

  private final LedgerDays days;
  private final LedgerAudit audit;
  private final LedgerNodes nodes;
  private final LedgerSettings settings;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("ledger-upkeep").daemon().factory());
  private final LongAdder dropped = new LongAdder();
  private volatile long violations;
  private volatile long silentNodes;
  private volatile long auditedNanos = System.nanoTime();
  private boolean answered;
  private long answeredSinceNanos;
  private long nextDaysNanos = System.nanoTime();

  Upkeep(Store store, LedgerSettings settings) {
    this.days = store.ledgerDays();
    this.audit = store.ledgerAudit();
    this.nodes = store.ledgerNodes();
    this.settings = settings;
  }

  void register(Metrics metrics) {
    metrics.gauge(Family.LEDGER_AUDIT_VIOLATIONS, () -> violations);
    metrics.gauge(Family.LEDGER_AUDIT_AGE, () -> (System.nanoTime() - auditedNanos) / 1e9);
    metrics.counter(Family.LEDGER_DAYS_DROPPED, dropped::sum);
    metrics.gauge(Family.LEDGER_SILENT_NODES, () -> silentNodes);
  }

  void start() {
    Duration interval = settings.auditInterval();
    long round = (interval.compareTo(ROUND) < 0 ? interval : ROUND).toNanos();
    thread.scheduleWithFixedDelay(this::round, round, round, TimeUnit.NANOSECONDS);
  }

  private void round() {
    try {
      if (System.nanoTime() - nextDaysNanos >= 0) {
        keepDays();
        nextDaysNanos = System.nanoTime() + DAYS.toNanos();
      }
      audit();
      if (hasAnsweredFor(PATIENCE)) {
        letGo();
      }
      silentNodes = nodes.list().stream().filter(Upkeep::isSilent).count();
    } catch (SQLException | RuntimeException e) {
      answered = false;
      log.warn("the ledger's upkeep failed and is tried again: {}", e.getMessage());
    }
  }

  private boolean hasAnsweredFor(Duration patience) {
    long now = System.nanoTime();
    if (!answered) {
      answered = true;
      answeredSinceNanos = now;
    }
    return now - answeredSinceNanos >= patience.toNanos();
  }

  private static boolean isSilent(Node node) {
    return !node.state().equals("closed") && node.silent().compareTo(SILENT) > 0;
  }

  // Days

  private void keepDays() throws SQLException {
    days.make();
    days.close();
    var kept = settings.retention();
    var gone = days.retain(kept.charges(), kept.requests());
    tell("charges", gone.charges());
    tell("the request log", gone.requests());
    days.tidy();
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

  // Nodes

  private void letGo() throws SQLException {
    Duration ttl = settings.leaseTtl();
    for (var lost : nodes.lose(ttl.plus(SILENT))) {
      log.warn(
          "node {} is silent for longer than its leases last; {} of balances that it had not"
              + " committed are free",
          lost.node(),
          lost.freed().toUsd());
    }
    Duration over = ttl.plus(RELEASED_AFTER);
    for (Node node : nodes.list()) {
      boolean isOver = isSilent(node) && node.silent().compareTo(over) > 0;
      if (isOver && nodes.release(node.id(), over, "upkeep") instanceof Release.Released released) {
        log.warn(
            "node {} did not come back, its leases are closed; {} of balances are free",
            node.id(),
            released.freed().toUsd());
      }
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
