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
 * Tells the books once a second what this node has committed of its leases and since when it owes
 * charges, for the case that it is never heard of again.
 */
public final class CommitmentReporter implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CommitmentReporter.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);

  /** Who keeps what a node says of itself. */
  @FunctionalInterface
  public interface ReportStore {
    /**
     * Hears one report, unless it has heard a later one.
     *
     * @param number rises with each report of a holder
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

  /** Of the thread. */
  private long reports;

  /**
   * @param unsettledAge since the oldest request began whose charge waits for the books
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
      // That the store is gone is said elsewhere.
      log.debug("the books did not hear what this node has committed", e);
      leaseClient.commitmentsLost();
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
