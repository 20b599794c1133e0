package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Commitment;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodic reporter of this node's committed lease amounts to the ledger store, which needs them if
 * the node is lost. It also reports the age of the oldest unsettled charge.
 */
public final class CommitmentReporter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CommitmentReporter.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);

  /** Port that stores the reports. */
  @FunctionalInterface
  public interface ReportStore {
    /**
     * Stores a report, unless a later one is stored.
     *
     * @param number number of the report, which grows with each report of a holder
     */
    void report(
        LeaseHolder holder, long number, Duration unsettledAge, List<Commitment> commitments)
        throws LedgerStoreException;
  }

  private final ReportStore store;
  private final LeaseHolder holder;
  private final LeaseClient leaseClient;
  private final Supplier<Duration> unsettledAge;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("ledger-report").daemon().factory());

  /** Confined to the thread. */
  private long reports;

  /**
   * @param unsettledAge supplies the age of the oldest request with an unsettled charge
   */
  public CommitmentReporter(
      ReportStore store,
      LeaseHolder holder,
      LeaseClient leaseClient,
      Supplier<Duration> unsettledAge) {
    this.store = store;
    this.holder = holder;
    this.leaseClient = leaseClient;
    this.unsettledAge = unsettledAge;
  }

  public void start() {
    thread.scheduleWithFixedDelay(
        this::report, PERIOD.toNanos(), PERIOD.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void report() {
    try {
      store.report(holder, ++reports, unsettledAge.get(), leaseClient.commitments());
    } catch (LedgerStoreException | RuntimeException e) {
      // The lease client logs that the store does not answer.
      LOG.debug("the commitments of this node were not reported to the ledger store", e);
      leaseClient.commitmentsLost();
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
