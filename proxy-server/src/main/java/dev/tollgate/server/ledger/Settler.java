package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.ledger.Booking.Outcome;
import dev.tollgate.server.settings.LedgerSettings;
import dev.tollgate.server.settings.LedgerSettings.Batch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes durable charges from the journal into the books, in one thread: when a batch is there, and
 * otherwise every flush interval.
 */
public final class Settler implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Settler.class);
  private static final long NOTHING_WAITS = Long.MIN_VALUE;

  private final Charges charges;
  private final Holder holder;
  private final Booking booking;
  private final SettlerListener listener;
  private final Duration flushInterval;
  private final Batch batch;
  private final Pauses pauses;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile @Nullable CompletableFuture<Void> drained;
  private volatile boolean stopping;
  private volatile long waitsSinceNanos = NOTHING_WAITS;
  private volatile long lastFlushNanos;
  private final LongAdder quarantined = new LongAdder();

  Settler(
      Charges charges,
      Holder holder,
      Booking booking,
      SettlerListener listener,
      LedgerSettings settings,
      Pauses pauses) {
    this.charges = charges;
    this.holder = holder;
    this.booking = booking;
    this.listener = listener;
    this.flushInterval = settings.flushInterval();
    this.batch = settings.batch();
    this.pauses = pauses;
  }

  /** Begins to settle what a journal holds. */
  public static Settler start(
      LocalJournal journal,
      Holder holder,
      Booking booking,
      SettlerListener listener,
      LedgerSettings settings) {
    Pauses pauses = Pauses.ofMachine();
    var settler = new Settler(journal, holder, booking, listener, settings, pauses);
    journal.wakeAt(settings.batch().min(), pauses::wake);
    Thread.ofPlatform().name("settler").daemon().start(settler::loop);
    return settler;
  }

  /** Waits until all that is durable is booked, at most that long; answers what is left. */
  public long drain(Duration atMost) {
    CompletableFuture<Void> empty = new CompletableFuture<>();
    drained = empty;
    pauses.wake();
    empty.completeOnTimeout(null, atMost.toNanos(), TimeUnit.NANOSECONDS).join();
    return charges.backlog();
  }

  /** Ends after the present call to the books; what is not booked stays in the journal. */
  @Override
  public void close() {
    stopping = true;
    booking.stop();
    pauses.wake();
    ended.join();
  }

  public SettlerFigures figures() {
    long since = waitsSinceNanos;
    return new SettlerFigures(
        charges.backlog(),
        Duration.ofNanos(since == NOTHING_WAITS ? 0 : pauses.nanoTime() - since),
        Duration.ofNanos(lastFlushNanos),
        quarantined.sum());
  }

  private void loop() {
    try {
      while (!stopping) {
        try {
          step();
        } catch (RuntimeException | Error e) {
          log.error("settling failed and goes on", e);
          pauses.await(flushInterval);
        }
      }
    } finally {
      ended.complete(null);
    }
  }

  /** Settles one batch, and pauses unless the next one is there. */
  void step() {
    flush();
    listener.turned();
    CompletableFuture<Void> empty = drained;
    long backlog = charges.backlog();
    if (empty != null && backlog == 0) {
      empty.complete(null);
    }
    if (backlog < batch.min() && (backlog == 0 || empty == null)) {
      pauses.await(flushInterval);
    }
  }

  private void flush() {
    List<Settlement> oldest = charges.unbooked(batch.max());
    if (oldest.isEmpty()) {
      waitsSinceNanos = NOTHING_WAITS;
      return;
    }
    long began = pauses.nanoTime();
    waitsSinceNanos = began;
    Optional<Outcome> outcome = booking.book(holder, oldest);
    if (outcome.isPresent()) {
      lastFlushNanos = pauses.nanoTime() - began;
      charges.booked(oldest.size());
      waitsSinceNanos = NOTHING_WAITS;
      tell(outcome.get());
    }
  }

  private void tell(Outcome outcome) {
    quarantined.add(outcome.quarantined().size());
    outcome.quarantined().forEach(listener::quarantined);
    listener.booked(outcome.booked(), outcome.overruns());
  }
}
