package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Commitment;
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
public final class Reporter implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Reporter.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);

  /** Who keeps what a node says of itself. */
  @FunctionalInterface
  public interface Books {
    /**
     * Hears one report, unless it has heard a later one.
     *
     * @param number rises with each report of a holder
     */
    void report(Holder holder, long number, Duration owes, List<Commitment> commitments)
        throws BankException;
  }

  private final Books books;
  private final Holder holder;
  private final Leaser leaser;
  private final Supplier<Duration> owes;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("ledger-report").daemon().factory());

  /** Of the thread. */
  private long reports;

  /**
   * @param owes since the oldest request began whose charge waits for the books
   */
  public Reporter(Books books, Holder holder, Leaser leaser, Supplier<Duration> owes) {
    this.books = books;
    this.holder = holder;
    this.leaser = leaser;
    this.owes = owes;
  }

  public void start() {
    thread.scheduleWithFixedDelay(
        this::report, PERIOD.toNanos(), PERIOD.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void report() {
    try {
      books.report(holder, ++reports, owes.get(), leaser.commitments());
    } catch (BankException | RuntimeException e) {
      // That the store is gone is said elsewhere.
      log.debug("the books did not hear what this node has committed", e);
      leaser.commitmentsUnsaid();
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
