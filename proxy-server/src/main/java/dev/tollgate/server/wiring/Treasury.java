package dev.tollgate.server.wiring;

import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.Granted;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.LedgerRules;
import dev.tollgate.core.ledger.NodeLedger;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.ledger.Booking;
import dev.tollgate.server.ledger.EarlierLife;
import dev.tollgate.server.ledger.JournalDirectory;
import dev.tollgate.server.ledger.JournalOptions;
import dev.tollgate.server.ledger.Leaser;
import dev.tollgate.server.ledger.LocalJournal;
import dev.tollgate.server.ledger.Reporter;
import dev.tollgate.server.ledger.Settler;
import dev.tollgate.server.ledger.SettlerListener;
import dev.tollgate.server.ops.Family;
import dev.tollgate.server.ops.Metrics;
import dev.tollgate.server.postgres.PostgresBank;
import dev.tollgate.server.postgres.Store;
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
 * This node's money: opened in the order that loses nothing (what an earlier life owes is settled
 * before its leases are closed), and closed in reverse.
 */
final class Treasury implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Treasury.class);
  private static final Duration LAST_FLUSH = Duration.ofSeconds(10);
  private static final Duration LAST_REQUESTS = Duration.ofSeconds(5);
  private static final Duration LOOK = Duration.ofMillis(5);

  private final PostgresBank bank;
  private final Holder holder;
  private final LocalJournal journal;
  private final Leaser leaser;
  private final Settler settler;
  private final Reporter reporter;

  private Treasury(
      PostgresBank bank,
      Holder holder,
      LocalJournal journal,
      Leaser leaser,
      Settler settler,
      Reporter reporter) {
    this.bank = bank;
    this.holder = holder;
    this.journal = journal;
    this.leaser = leaser;
    this.settler = settler;
    this.reporter = reporter;
  }

  /** What the treasury tells the process that it is a part of. */
  interface Owner {
    /** What an earlier life owes is being booked, however long the store takes. */
    void recovering(Runnable giveUp);

    /** Nothing more can be charged: the process must end at once. */
    void diskFailed(Throwable failure);

    /** Another process has this node now: this one must end. */
    void takenOver();
  }

  static Treasury open(Store store, Path dataDir, LedgerSettings settings, Owner owner)
      throws StartException {
    PostgresBank bank = store.bank();
    try {
      var directory =
          JournalDirectory.open(dataDir, JournalOptions.of(settings), InstantSource.system());
      var booking = new Booking(bank, bank::quarantine);
      if (directory.earlier().isPresent()) {
        owner.recovering(booking::stop);
        recover(directory.earlier().get(), booking, settings.batch().max());
      }
      Holder holder = bank.open(directory.node(), UUID.randomUUID());
      LocalJournal journal = directory.beginLife(holder, owner::diskFailed);
      var rules = LedgerRules.of(settings.outageGrace(), settings.leaseTtl());
      var leaser = new Leaser(bank, holder, journal, rules, owner::takenOver);
      var listener = listener(leaser);
      Settler settler = Settler.start(journal, holder, booking, listener, settings);
      var reporter =
          new Reporter(
              store.ledgerNodes()::report, holder, leaser, () -> settler.figures().oldest());
      leaser.start();
      reporter.start();
      return new Treasury(bank, holder, journal, leaser, settler, reporter);
    } catch (IOException | BankException e) {
      throw new StartException("ledger: " + e.getMessage(), e);
    }
  }

  private static void recover(EarlierLife earlier, Booking booking, int batchMax)
      throws StartException {
    long owed = earlier.backlog();
    booking.bookAll(earlier, batchMax);
    if (earlier.backlog() > 0) {
      throw new StartException("ledger: stopped before an earlier life's charges were booked");
    }
    if (owed > 0) {
      log.info("{} charges of this node's earlier life were sent to the books", owed);
    }
  }

  private static SettlerListener listener(Leaser leaser) {
    return new SettlerListener() {
      @Override
      public void booked(List<Settlement> settlements, List<Granted> overruns) {
        leaser.booked(overruns);
      }

      @Override
      public void quarantined(Settlement settlement) {} // the settler logs and counts it
    };
  }

  NodeLedger ledger() {
    return leaser.ledger();
  }

  void register(Metrics metrics) {
    metrics.gauge(Family.LEDGER_BACKLOG, () -> settler.figures().backlog());
    metrics.gauge(Family.LEDGER_OLDEST, () -> seconds(settler.figures().oldest()));
    metrics.gauge(Family.LEDGER_FLUSH, () -> seconds(settler.figures().lastFlush()));
    metrics.counter(Family.LEDGER_QUARANTINED, () -> settler.figures().quarantined());
    metrics.gauge(Family.LEDGER_RESERVATIONS, journal::running);
    metrics.gauge(Family.LEDGER_LEASES, () -> ledger().leases());
    metrics.gauge(Family.LEDGER_WAITING, () -> ledger().waiting());
    metrics.gauge(Family.LEDGER_OPEN, () -> ledger().isOpen() ? 1 : 0);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  /** Clients are gone, and providers that were heard out were just let go. */
  private void awaitLastRequests() {
    long until = System.nanoTime() + LAST_REQUESTS.toNanos();
    while (journal.running() > 0 && System.nanoTime() - until < 0) {
      LockSupport.parkNanos(LOOK.toNanos());
    }
    if (journal.running() > 0) {
      log.error("{} requests did not end in time", journal.running());
    }
  }

  /** Settles what is owed and closes the leases; what cannot be settled waits for the next life. */
  @Override
  public void close() {
    leaser.stopAdmission();
    reporter.close();
    awaitLastRequests();
    long left = settler.drain(LAST_FLUSH);
    settler.close();
    leaser.close();
    journal.close();
    if (left > 0) {
      log.warn("{} charges are not in the books yet; they are sent at the next start", left);
      return;
    }
    try {
      bank.close(holder);
    } catch (BankException e) {
      log.warn("the node's leases stay open until the next start: {}", e.getMessage());
    }
  }
}
