package dev.tollgate.server.wiring;

import dev.tollgate.server.postgres.LedgerDays;
import java.sql.SQLException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the ledger's days ahead of their time, once an hour; any number of nodes may do it. */
final class DaysAhead implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DaysAhead.class);

  private final LedgerDays days;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("ledger-days").daemon().factory());

  DaysAhead(LedgerDays days) {
    this.days = days;
  }

  void start() {
    thread.scheduleWithFixedDelay(this::make, 1, 1, TimeUnit.HOURS);
  }

  private void make() {
    try {
      days.make();
    } catch (SQLException | RuntimeException e) {
      log.warn(
          "the ledger's next days could not be made, a week of them is there: {}", e.getMessage());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
