package dev.tollgate.server.wiring;

import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.BooksClock;
import dev.tollgate.core.ledger.BooksIdentity;
import dev.tollgate.core.ledger.LedgerRules;
import dev.tollgate.core.ledger.Mark;
import dev.tollgate.core.ledger.Marks;
import dev.tollgate.core.ledger.NodeLedger;
import dev.tollgate.server.ledger.Booking;
import dev.tollgate.server.ledger.BooksWatch;
import dev.tollgate.server.ledger.EarlierLife;
import dev.tollgate.server.ledger.JournalDirectory;
import dev.tollgate.server.ledger.JournalOptions;
import dev.tollgate.server.ledger.Leaser;
import dev.tollgate.server.ledger.LocalJournal;
import dev.tollgate.server.ledger.Reporter;
import dev.tollgate.server.ledger.Settler;
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
  private final BooksClock clock;
  private final LocalJournal journal;
  private final Leaser leaser;
  private final Settler settler;
  private final Reporter reporter;
  private final BooksWatch watch;
  private final BooksAlarm alarm;

  /** Charges of earlier lives that this start could not book. */
  private final long quarantinedBefore;

  private Treasury(
      PostgresBank bank,
      Holder holder,
      BooksClock clock,
      LocalJournal journal,
      Leaser leaser,
      Settler settler,
      Reporter reporter,
      BooksWatch watch,
      BooksAlarm alarm,
      long quarantinedBefore) {
    this.bank = bank;
    this.holder = holder;
    this.clock = clock;
    this.journal = journal;
    this.leaser = leaser;
    this.settler = settler;
    this.reporter = reporter;
    this.watch = watch;
    this.alarm = alarm;
    this.quarantinedBefore = quarantinedBefore;
  }

  /** What the treasury tells the process that it is a part of. */
  interface Owner {
    /** What an earlier life owes is being booked, however long the store takes. */
    void recovering(Runnable giveUp);

    /** Nothing more can be charged: the process must end at once. */
    void diskFailed(Throwable failure);

    /** Nothing is admitted any more, and this process must end for this reason. */
    void mustEnd(Ending ending);
  }

  static Treasury open(Store store, Path dataDir, LedgerSettings settings, Owner owner)
      throws StartException {
    PostgresBank bank = store.bank();
    try {
      var directory =
          JournalDirectory.open(dataDir, JournalOptions.of(settings), InstantSource.system());
      Mark mark = bank.marks().look(directory.node());
      var alarm = new BooksAlarm(owner::mustEnd);
      if (directory.sawMoreThan(mark)) {
        alarm.wentBackBefore();
      }
      long quarantined = recover(directory.earlier(mark), bank, settings.batch().max(), owner);
      Holder holder = bank.open(directory.node(), UUID.randomUUID());
      begin(bank.marks(), holder, mark.books(), directory.firstId());
      LocalJournal journal = directory.beginLife(holder, mark.books(), owner::diskFailed);
      var rules = LedgerRules.of(settings.outageGrace(), settings.leaseTtl());
      var clock = new BooksClock(System::nanoTime, bank.millis());
      var leaser = new Leaser(bank, holder, clock, journal, rules, alarm::fenced);
      var watch = BooksWatch.over(bank.marks(), holder, mark.books(), journal, alarm::wentBack);
      alarm.watch(watch, leaser);
      var booking = new Booking(bank, bank::quarantine);
      Settler settler = Settler.start(journal, holder, booking, alarm, settings);
      var reporter =
          new Reporter(store.ledgerNodes()::report, holder, leaser, () -> settler.figures().owed());
      leaser.start();
      reporter.start();
      return new Treasury(
          bank, holder, clock, journal, leaser, settler, reporter, watch, alarm, quarantined);
    } catch (IOException | BankException e) {
      throw new StartException("ledger: " + e.getMessage(), e);
    }
  }

  /** Answers how many charges went to quarantine. */
  private static long recover(
      List<EarlierLife> earlier, PostgresBank bank, int batchMax, Owner owner)
      throws StartException {
    // Its own: whoever gives up recovery, now or when serving ends, must not stop the settler.
    var booking = new Booking(bank, bank::quarantine);
    owner.recovering(booking::stop);
    long owed = earlier.stream().mapToLong(EarlierLife::backlog).sum();
    if (owed > batchMax) {
      log.info("{} charges of this node's earlier lives are being sent to the books", owed);
    }
    long quarantined = 0;
    for (EarlierLife life : earlier) {
      quarantined += booking.bookAll(life, batchMax);
      if (life.backlog() > 0) {
        throw new StartException("ledger: stopped before an earlier life's charges were booked");
      }
    }
    if (owed > 0) {
      log.info("{} charges of this node's earlier lives were sent to the books", owed);
    }
    return quarantined;
  }

  /** Begins to count this life's batches, in the books that it knows. */
  private static void begin(Marks marks, Holder holder, BooksIdentity books, long firstId)
      throws BankException, StartException {
    marks.counts().reset();
    Mark begun = marks.raise(holder, books, firstId);
    if (!(begun.after(holder, books, 0) instanceof Mark.Verdict.Same)
        || begun.keptFrom() < firstId) {
      throw new StartException("ledger: the database changed while this node began; start again");
    }
  }

  /** By which requests are dated. */
  InstantSource clock() {
    return clock;
  }

  NodeLedger ledger() {
    return leaser.ledger();
  }

  /** Charges that are not in the books yet. */
  long backlog() {
    return journal.backlog();
  }

  void register(Metrics metrics) {
    metrics.gauge(Family.LEDGER_BACKLOG, () -> settler.figures().backlog());
    metrics.gauge(Family.LEDGER_OLDEST, () -> seconds(settler.figures().oldest()));
    metrics.gauge(Family.LEDGER_FLUSH, () -> seconds(settler.figures().lastFlush()));
    metrics.counter(
        Family.LEDGER_QUARANTINED, () -> quarantinedBefore + settler.figures().quarantined());
    metrics.counter(Family.LEDGER_OVERRUNS, () -> settler.figures().overruns());
    metrics.counter(Family.LEDGER_OVERRUN_COST, () -> settler.figures().overrunMicro());
    metrics.counter(Family.LEDGER_RECALLS, () -> ledger().recalls());
    metrics.counter(Family.LEDGER_LEAN_GRANTS, () -> ledger().leanGrants());
    metrics.counter(Family.LEDGER_WENT_BACK, alarm::count);
    metrics.gauge(Family.LEDGER_RESERVATIONS, journal::running);
    metrics.gauge(Family.LEDGER_QUEUED, journal::queued);
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
  }

  /**
   * Settles what is owed and closes the leases. What cannot be settled waits for the next life, and
   * the leases that it is charged to stay open for it: others must not be granted that money.
   */
  @Override
  public void close() {
    leaser.stopAdmission();
    reporter.close();
    awaitLastRequests();
    settler.drain(LAST_FLUSH);
    settler.close();
    leaser.close();
    journal.close();
    watch.last();
    if (owesNothing()) {
      closeLeases();
    }
  }

  /** To be asked when the journal is closed: nothing can be charged any more. */
  private boolean owesNothing() {
    if (journal.backlog() > 0) {
      log.warn("{} charges are not in the books; the next start sends them", journal.backlog());
    }
    if (journal.running() > 0) {
      log.warn("{} requests did not end; the next start charges them", journal.running());
    }
    if (watch.hasTold()) {
      log.warn("the node's leases stay open for the charges that the next start sends again");
    }
    return journal.backlog() == 0 && journal.running() == 0 && !watch.hasTold();
  }

  private void closeLeases() {
    try {
      bank.close(holder);
    } catch (BankException e) {
      log.warn("the node's leases stay open until the next start: {}", e.getMessage());
    }
  }
}
