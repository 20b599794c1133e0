package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.ledger.Booking.Outcome;
import dev.tollgate.server.settings.LedgerSettings;
import dev.tollgate.server.settings.LedgerSettings.Batch;
import java.time.Duration;
import java.time.InstantSource;
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
  private final InstantSource clock;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile @Nullable CompletableFuture<Void> drained;
  private volatile boolean stopping;
  private volatile long waitsSinceNanos = NOTHING_WAITS;

  /** Of the oldest request of the batch that was taken last. */
  private volatile long oldestMillis;

  /** More waited than that batch took. */
  private volatile boolean isBehind;

  private volatile long lastFlushNanos;
  private final LongAdder quarantined = new LongAdder();
  private final LongAdder overruns = new LongAdder();
  private final LongAdder overrunMicro = new LongAdder();

  Settler(
      Charges charges,
      Holder holder,
      Booking booking,
      SettlerListener listener,
      LedgerSettings settings,
      Pauses pauses,
      InstantSource clock) {
    this.charges = charges;
    this.holder = holder;
    this.booking = booking;
    this.listener = listener;
    this.flushInterval = settings.flushInterval();
    this.batch = settings.batch();
    this.pauses = pauses;
    this.clock = clock;
  }

  /** Begins to settle what a journal holds. */
  public static Settler start(
      LocalJournal journal,
      Holder holder,
      Booking booking,
      SettlerListener listener,
      LedgerSettings settings) {
    Pauses pauses = Pauses.ofMachine();
    var settler =
        new Settler(journal, holder, booking, listener, settings, pauses, InstantSource.system());
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
    Duration owed = Duration.ZERO;
    Duration sent = Duration.ZERO;
    if (since != NOTHING_WAITS) {
      owed = Duration.ofMillis(Math.max(0, clock.millis() - oldestMillis));
      sent = Duration.ofNanos(pauses.nanoTime() - since);
    }
    return new SettlerFigures(
        charges.backlog(),
        isBehind ? owed : sent,
        owed,
        Duration.ofNanos(lastFlushNanos),
        quarantined.sum(),
        overruns.sum(),
        overrunMicro.sum());
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
    long backlog = charges.backlog();
    List<Settlement> oldest = charges.unbooked(batch.max());
    if (oldest.isEmpty()) {
      caughtUp();
      return;
    }
    long began = pauses.nanoTime();
    oldestMillis = oldestMillis(oldest);
    waitsSinceNanos = began;
    Optional<Outcome> outcome = booking.book(holder, oldest);
    if (outcome.isPresent()) {
      lastFlushNanos = pauses.nanoTime() - began;
      charges.booked(oldest.size());
      if (backlog > oldest.size()) {
        isBehind = true; // what is left may be as old
      } else {
        caughtUp();
      }
      tell(outcome.get());
    }
  }

  private static long oldestMillis(List<Settlement> batch) {
    long oldest = Long.MAX_VALUE;
    for (Settlement each : batch) {
      oldest = Math.min(oldest, each.request().epochMillis());
    }
    return oldest;
  }

  private void caughtUp() {
    isBehind = false;
    waitsSinceNanos = NOTHING_WAITS;
  }

  private void tell(Outcome outcome) {
    quarantined.add(outcome.quarantined().size());
    outcome.quarantined().forEach(listener::quarantined);
    for (Settlement charge : outcome.booked()) {
      long overrun = charge.overrun().value();
      if (overrun > 0) {
        overruns.increment();
        overrunMicro.add(overrun);
      }
    }
    listener.booked(outcome.booked(), outcome.overruns());
  }
}
