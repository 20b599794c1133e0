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
import dev.tollgate.server.ledger.Settler;
import dev.tollgate.server.ledger.SettlerListener;
import dev.tollgate.server.ops.Family;
import dev.tollgate.server.ops.Metrics;
import dev.tollgate.server.postgres.PostgresBank;
import dev.tollgate.server.settings.LedgerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's money: opened in the order that loses nothing (what an earlier life owes is settled
 * before its leases are closed), and closed in reverse.
 */
final class Treasury implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Treasury.class);
  private static final Duration LAST_FLUSH = Duration.ofSeconds(10);

  private final PostgresBank bank;
  private final Holder holder;
  private final LocalJournal journal;
  private final Leaser leaser;
  private final Settler settler;

  private Treasury(
      PostgresBank bank, Holder holder, LocalJournal journal, Leaser leaser, Settler settler) {
    this.bank = bank;
    this.holder = holder;
    this.journal = journal;
    this.leaser = leaser;
    this.settler = settler;
  }

  /** What ends the process: a disk that fails, or another process that took over this node. */
  interface End {
    void diskFailed(Throwable failure);

    void takenOver();
  }

  static Treasury open(PostgresBank bank, Path dataDir, LedgerSettings settings, End end)
      throws StartException {
    try {
      var directory =
          JournalDirectory.open(dataDir, JournalOptions.of(settings), InstantSource.system());
      var booking = new Booking(bank, bank::quarantine);
      if (directory.earlier().isPresent()) {
        recover(directory.earlier().get(), booking, settings.batch().max());
      }
      Holder holder = bank.open(directory.node(), UUID.randomUUID());
      LocalJournal journal = directory.beginLife(holder, end::diskFailed);
      var rules = LedgerRules.of(settings.outageGrace(), settings.leaseTtl());
      var leaser = new Leaser(bank, holder, journal, rules, end::takenOver);
      var listener = listener(leaser.ledger());
      Settler settler = Settler.start(journal, holder, booking, listener, settings);
      leaser.start();
      return new Treasury(bank, holder, journal, leaser, settler);
    } catch (IOException | BankException e) {
      throw new StartException("ledger: " + e.getMessage(), e);
    }
  }

  private static void recover(EarlierLife earlier, Booking booking, int batchMax) {
    long owed = earlier.backlog();
    booking.bookAll(earlier, batchMax);
    if (owed > 0) {
      log.info("{} charges of this node's earlier life were sent to the books", owed);
    }
  }

  private static SettlerListener listener(NodeLedger ledger) {
    return new SettlerListener() {
      @Override
      public void booked(List<Settlement> settlements, List<Granted> overruns) {
        ledger.booked(overruns);
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

  /** Settles what is owed and closes the leases; what cannot be settled waits for the next life. */
  @Override
  public void close() {
    leaser.stopAdmission();
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
