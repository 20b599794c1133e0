package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.ledger.SettlementWriter.BatchOutcome;
import dev.tollgate.server.outage.StoreOutage;
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
 * Sender of durable charges from the journal to the ledger store, in one thread: when a batch is
 * full, and otherwise every flush interval.
 */
public final class Settler implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Settler.class);
  private static final long NOTHING_WAITS = Long.MIN_VALUE;

  private final ChargeSource charges;
  private final LeaseHolder holder;
  private final SettlementWriter writer;
  private final SettlerListener listener;
  private final Duration flushInterval;
  private final Batch batch;
  private final Sleeper sleeper;
  private final InstantSource clock;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile @Nullable CompletableFuture<Void> drained;
  private volatile boolean stopping;
  private volatile long waitsSinceNanos = NOTHING_WAITS;

  /** Begin of the oldest request in the batch that was taken last. */
  private volatile long oldestMillis;

  /** True if more charges were waiting than that batch contained. */
  private volatile boolean isBehind;

  private volatile long lastFlushNanos;
  private final LongAdder quarantined = new LongAdder();
  private final LongAdder overruns = new LongAdder();
  private final LongAdder overrunMicro = new LongAdder();

  Settler(
      ChargeSource charges,
      LeaseHolder holder,
      SettlementWriter writer,
      SettlerListener listener,
      LedgerSettings settings,
      Sleeper sleeper,
      InstantSource clock) {
    this.charges = charges;
    this.holder = holder;
    this.writer = writer;
    this.listener = listener;
    this.flushInterval = settings.flushInterval();
    this.batch = settings.batch();
    this.sleeper = sleeper;
    this.clock = clock;
  }

  /** Starts a settler for a journal. */
  public static Settler start(
      LocalJournal journal,
      LeaseHolder holder,
      SettlementWriter writer,
      SettlerListener listener,
      LedgerSettings settings) {
    Sleeper sleeper = Sleeper.system();
    var settler =
        new Settler(journal, holder, writer, listener, settings, sleeper, InstantSource.system());
    journal.wakeAt(settings.batch().min(), sleeper::wake);
    Thread.ofPlatform().name("settler").daemon().start(settler::loop);
    return settler;
  }

  /** Returns whether the store can be reached, as the settler knows. */
  public StoreOutage outage() {
    return writer.outage();
  }

  /**
   * Waits until all durable charges are settled, or the time has elapsed; returns the number of
   * charges left.
   */
  public long drain(Duration atMost) {
    CompletableFuture<Void> empty = new CompletableFuture<>();
    drained = empty;
    sleeper.wake();
    empty.completeOnTimeout(null, atMost.toNanos(), TimeUnit.NANOSECONDS).join();
    return charges.backlog();
  }

  /**
   * Ends after the present call to the ledger store; charges that are not settled stay in the
   * journal.
   */
  @Override
  public void close() {
    stopping = true;
    writer.stop();
    sleeper.wake();
    ended.join();
  }

  public SettlerStats stats() {
    long since = waitsSinceNanos;
    Duration unsettledAge = Duration.ZERO;
    Duration sent = Duration.ZERO;
    if (since != NOTHING_WAITS) {
      unsettledAge = Duration.ofMillis(Math.max(0, clock.millis() - oldestMillis));
      sent = Duration.ofNanos(sleeper.nanoTime() - since);
    }
    return new SettlerStats(
        charges.backlog(),
        isBehind ? unsettledAge : sent,
        unsettledAge,
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
          LOG.error("settling failed and will be retried", e);
          sleeper.pause(flushInterval);
        }
      }
    } finally {
      ended.complete(null);
    }
  }

  /** Settles one batch, and sleeps unless the next one is full. */
  void step() {
    flush();
    listener.roundEnded();
    CompletableFuture<Void> empty = drained;
    long backlog = charges.backlog();
    if (empty != null && backlog == 0) {
      empty.complete(null);
    }
    if (backlog < batch.min() && (backlog == 0 || empty == null)) {
      sleeper.pause(flushInterval);
    }
  }

  private void flush() {
    long backlog = charges.backlog();
    List<Settlement> oldest = charges.unsettled(batch.max());
    if (oldest.isEmpty()) {
      caughtUp();
      return;
    }
    long began = sleeper.nanoTime();
    oldestMillis = oldestMillis(oldest);
    waitsSinceNanos = began;
    Optional<BatchOutcome> outcome = writer.settle(holder, oldest);
    if (outcome.isPresent()) {
      lastFlushNanos = sleeper.nanoTime() - began;
      charges.settled(oldest.size());
      if (backlog > oldest.size()) {
        isBehind = true; // the remaining charges may be as old
      } else {
        caughtUp();
      }
      report(outcome.get());
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

  private void report(BatchOutcome outcome) {
    quarantined.add(outcome.quarantined().size());
    outcome.quarantined().forEach(listener::quarantined);
    for (Settlement charge : outcome.settled()) {
      long overrun = charge.overrun().value();
      if (overrun > 0) {
        overruns.increment();
        overrunMicro.add(overrun);
      }
    }
    listener.settled(outcome.settled(), outcome.overruns());
  }
}
