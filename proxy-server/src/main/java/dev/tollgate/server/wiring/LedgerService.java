package dev.tollgate.server.wiring;

import dev.tollgate.core.ledger.LedgerClock;
import dev.tollgate.core.ledger.LedgerRules;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.LedgerStoreIdentity;
import dev.tollgate.core.ledger.NodeCheckpoint;
import dev.tollgate.core.ledger.NodeCheckpoints;
import dev.tollgate.core.ledger.NodeLedger;
import dev.tollgate.server.ledger.CommitmentReporter;
import dev.tollgate.server.ledger.JournalDirectory;
import dev.tollgate.server.ledger.JournalOptions;
import dev.tollgate.server.ledger.LeaseClient;
import dev.tollgate.server.ledger.LocalJournal;
import dev.tollgate.server.ledger.PreviousEpochJournal;
import dev.tollgate.server.ledger.RollbackDetector;
import dev.tollgate.server.ledger.SettlementWriter;
import dev.tollgate.server.ledger.Settler;
import dev.tollgate.server.ledger.StoreAccountBalances;
import dev.tollgate.server.metrics.LedgerFamily;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.StoreFamily;
import dev.tollgate.server.ops.BoundedOffload;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.ledger.PostgresLedgerStore;
import dev.tollgate.server.settings.LedgerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wiring and lifecycle of this node's ledger: the journal of charges, leases on balances, and
 * settlement. It is opened in the order that loses no charge (charges of previous epochs are
 * settled before their leases are closed), and closed in reverse.
 */
final class LedgerService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerService.class);
  private static final Duration LAST_FLUSH = Duration.ofSeconds(10);
  private static final Duration LAST_REQUESTS = Duration.ofSeconds(5);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(5);

  private final PostgresLedgerStore ledgerStore;
  private final LeaseHolder holder;
  private final LedgerClock clock;
  private final LocalJournal journal;
  private final LeaseClient leaseClient;
  private final Settler settler;
  private final CommitmentReporter reporter;
  private final RollbackDetector rollbackDetector;
  private final RollbackShutdown rollbackShutdown;

  /** Number of charges of previous epochs that this start put into quarantine. */
  private final long quarantinedBefore;

  private LedgerService(
      PostgresLedgerStore ledgerStore,
      LeaseHolder holder,
      LedgerClock clock,
      LocalJournal journal,
      LeaseClient leaseClient,
      Settler settler,
      CommitmentReporter reporter,
      RollbackDetector rollbackDetector,
      RollbackShutdown rollbackShutdown,
      long quarantinedBefore) {
    this.ledgerStore = ledgerStore;
    this.holder = holder;
    this.clock = clock;
    this.journal = journal;
    this.leaseClient = leaseClient;
    this.settler = settler;
    this.reporter = reporter;
    this.rollbackDetector = rollbackDetector;
    this.rollbackShutdown = rollbackShutdown;
    this.quarantinedBefore = quarantinedBefore;
  }

  /** Listener of ledger events that concern the whole process. */
  interface Listener {
    /** Charges of previous epochs are being settled; takes as long as the store needs. */
    void recoveryStarted(Runnable abort);

    /** The journal cannot be written any more: the process must end at once. */
    void diskFailed(Throwable failure);

    /** Requests are no longer admitted, and the process must end for this reason. */
    void shutdownRequired(ExitReason ending);
  }

  /** Returns the id of this node, which its data directory keeps. */
  UUID node() {
    return holder.node();
  }

  static LedgerService open(Store store, Path dataDir, LedgerSettings settings, Listener listener)
      throws StartException {
    PostgresLedgerStore ledgerStore = store.ledgerStore();
    try {
      var directory =
          JournalDirectory.open(dataDir, JournalOptions.of(settings), InstantSource.system());
      NodeCheckpoint checkpoint = ledgerStore.checkpoints().read(directory.node());
      var rollbackShutdown = new RollbackShutdown(listener::shutdownRequired);
      if (directory.isAheadOf(checkpoint)) {
        rollbackShutdown.rolledBackBefore();
      }
      long quarantined =
          recover(
              directory.previousEpochs(checkpoint), ledgerStore, settings.batch().max(), listener);
      LeaseHolder holder = ledgerStore.open(directory.node(), UUID.randomUUID());
      openCheckpoint(ledgerStore.checkpoints(), holder, checkpoint.store(), directory.firstId());
      LocalJournal journal = directory.beginEpoch(holder, checkpoint.store(), listener::diskFailed);
      var rules = LedgerRules.of(settings.outageGrace(), settings.leaseTtl());
      var clock = new LedgerClock(System::nanoTime, ledgerStore.millis());
      var leaseClient =
          new LeaseClient(ledgerStore, holder, clock, journal, rules, rollbackShutdown::fenced);
      var rollbackDetector =
          RollbackDetector.forEpoch(
              ledgerStore.checkpoints(),
              holder,
              checkpoint.store(),
              journal,
              rollbackShutdown::rolledBack);
      rollbackShutdown.rollbackDetector(rollbackDetector, leaseClient);
      var settlementWriter = new SettlementWriter(ledgerStore, ledgerStore::quarantine);
      Settler settler =
          Settler.start(journal, holder, settlementWriter, rollbackShutdown, settings);
      var reporter =
          new CommitmentReporter(
              store.ledgerNodes()::report,
              holder,
              leaseClient,
              () -> settler.stats().unsettledAge());
      leaseClient.start();
      reporter.start();
      return new LedgerService(
          ledgerStore,
          holder,
          clock,
          journal,
          leaseClient,
          settler,
          reporter,
          rollbackDetector,
          rollbackShutdown,
          quarantined);
    } catch (IOException | LedgerStoreException e) {
      throw new StartException("ledger: " + e.getMessage(), e);
    }
  }

  /** Settles the charges of previous epochs and returns how many were quarantined. */
  private static long recover(
      List<PreviousEpochJournal> previousEpochs,
      PostgresLedgerStore ledgerStore,
      int batchMax,
      Listener listener)
      throws StartException {
    // Separate from the settler's writer: an abort of the recovery must not stop the settler.
    var settlementWriter = new SettlementWriter(ledgerStore, ledgerStore::quarantine);
    listener.recoveryStarted(settlementWriter::stop);
    long pending = previousEpochs.stream().mapToLong(PreviousEpochJournal::backlog).sum();
    if (pending > batchMax) {
      LOG.info("settling {} charges of this node's previous epochs", pending);
    }
    long quarantined = 0;
    for (PreviousEpochJournal previous : previousEpochs) {
      quarantined += settlementWriter.settleAll(previous, batchMax);
      if (previous.backlog() > 0) {
        throw new StartException(
            "ledger: stopped before all charges of previous epochs were settled");
      }
    }
    if (pending > 0) {
      LOG.info("settled {} charges of this node's previous epochs", pending);
    }
    return quarantined;
  }

  /** Resets the count of batches for this epoch, if the ledger store is still the same. */
  private static void openCheckpoint(
      NodeCheckpoints checkpoints, LeaseHolder holder, LedgerStoreIdentity identity, long firstId)
      throws LedgerStoreException, StartException {
    checkpoints.watermark().reset();
    NodeCheckpoint raised = checkpoints.advance(holder, identity, firstId);
    if (!(raised.check(holder, identity, 0) instanceof NodeCheckpoint.CheckpointVerdict.Same)
        || raised.keptFrom() < firstId) {
      throw new StartException("ledger: the database changed while this node started; start again");
    }
  }

  /** Returns the clock that dates requests. */
  InstantSource clock() {
    return clock;
  }

  NodeLedger ledger() {
    return leaseClient.ledger();
  }

  /** Returns the query of balances, with what this node holds of them. */
  StoreAccountBalances balances(Store store, BoundedOffload offload) {
    return new StoreAccountBalances(store.accountBalances(), offload, holder, ledger());
  }

  /** Returns the number of unsettled charges. */
  long backlog() {
    return journal.backlog();
  }

  void register(Metrics metrics) {
    metrics.gauge(StoreFamily.STORE_FAILING, "settlement", settler.outage()::gauge);
    metrics.gauge(
        StoreFamily.STORE_FAILING, "leases", () -> leaseClient.isStoreUnresponsive() ? 1 : 0);
    metrics.gauge(LedgerFamily.LEDGER_BACKLOG, () -> settler.stats().backlog());
    metrics.gauge(LedgerFamily.LEDGER_OLDEST, () -> seconds(settler.stats().oldest()));
    metrics.gauge(LedgerFamily.LEDGER_FLUSH, () -> seconds(settler.stats().lastFlush()));
    metrics.counter(
        LedgerFamily.LEDGER_QUARANTINED, () -> quarantinedBefore + settler.stats().quarantined());
    metrics.counter(LedgerFamily.LEDGER_OVERRUNS, () -> settler.stats().overruns());
    metrics.counter(LedgerFamily.LEDGER_OVERRUN_COST, () -> settler.stats().overrunMicro());
    metrics.counter(LedgerFamily.LEDGER_RECALLS, () -> ledger().recalls());
    metrics.counter(LedgerFamily.LEDGER_PARTIAL_GRANTS, () -> ledger().partialGrants());
    metrics.counter(LedgerFamily.LEDGER_ROLLBACKS_DETECTED, rollbackShutdown::count);
    metrics.gauge(LedgerFamily.LEDGER_RESERVATIONS, journal::running);
    metrics.gauge(LedgerFamily.LEDGER_QUEUED, journal::queued);
    metrics.gauge(LedgerFamily.LEDGER_LEASES, () -> ledger().leases());
    metrics.gauge(LedgerFamily.LEDGER_WAITING, () -> ledger().waiting());
    metrics.gauge(LedgerFamily.LEDGER_OPEN, () -> ledger().isOpen() ? 1 : 0);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  /** Waits for requests whose upstream was just closed: their charges are still to come. */
  private void awaitLastRequests() {
    long until = System.nanoTime() + LAST_REQUESTS.toNanos();
    while (journal.running() > 0 && System.nanoTime() - until < 0) {
      LockSupport.parkNanos(POLL_INTERVAL.toNanos());
    }
  }

  /**
   * Settles all charges and closes the leases. Charges that cannot be settled are left for the next
   * epoch, and their leases stay open: their amounts must not be granted to other nodes.
   */
  @Override
  public void close() {
    leaseClient.stopAdmission();
    reporter.close();
    awaitLastRequests();
    settler.drain(LAST_FLUSH);
    settler.close();
    leaseClient.close();
    journal.close();
    rollbackDetector.checkLast();
    if (isFullySettled()) {
      closeLeases();
    }
  }

  /** True if nothing is left for the next start; valid only after the journal is closed. */
  private boolean isFullySettled() {
    if (journal.backlog() > 0) {
      LOG.warn("{} charges are not settled; the next start sends them", journal.backlog());
    }
    if (journal.running() > 0) {
      LOG.warn("{} requests did not end; the next start charges them", journal.running());
    }
    if (rollbackDetector.hasReported()) {
      LOG.warn("the node's leases stay open for the charges that the next start sends again");
    }
    return journal.backlog() == 0 && journal.running() == 0 && !rollbackDetector.hasReported();
  }

  private void closeLeases() {
    try {
      ledgerStore.close(holder);
    } catch (LedgerStoreException e) {
      LOG.warn("the node's leases stay open until the next start: {}", e.getMessage());
    }
  }
}
