package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.Ledger.ReserveResult;
import dev.tollgate.core.ledger.LedgerClock;
import dev.tollgate.core.ledger.LedgerRules;
import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.NodeCheckpoint;
import dev.tollgate.core.ledger.NodeLedger;
import dev.tollgate.core.ledger.Reservation;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.ledger.JournalDirectory;
import dev.tollgate.server.ledger.JournalOptions;
import dev.tollgate.server.ledger.LeaseClient;
import dev.tollgate.server.ledger.LocalJournal;
import dev.tollgate.server.ledger.SettlementWriter;
import dev.tollgate.server.ledger.Settler;
import dev.tollgate.server.ledger.SettlerListener;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.embedded.DataDirLock;
import dev.tollgate.server.postgres.ledger.PostgresLedgerStore;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.settings.LedgerSettings;
import dev.tollgate.server.settings.LedgerSettings.Batch;
import dev.tollgate.server.settings.LedgerSettings.DayRetention;
import dev.tollgate.server.settings.LedgerSettings.Durability;
import dev.tollgate.server.settings.LedgerSettings.Retention;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node's whole ledger without the gateway around it: what a request waits for its reservation and
 * for its charge to be durable at a steady rate, and how many charges a second reach the books when
 * requests come as fast as they can.
 */
class LedgerBench {
  private static final int SECONDS = Integer.getInteger("bench.seconds", 8);
  private static final int PER_SECOND = Integer.getInteger("bench.rate", 2_000);

  /** So many that the store writes over its old logs, as one does that is not new. */
  private static final int CHARGES = Integer.getInteger("bench.charges", 1_500_000);

  private static final int OPEN_MAX = 256;
  private static final MicroUsd MOST = new MicroUsd(900);
  private static final MicroUsd COST = new MicroUsd(420);
  private static final Tokens TOKENS = new Tokens(1_000, 200, 0, 0, false);
  private static final LedgerSettings SETTINGS =
      new LedgerSettings(
          Durability.FSYNC,
          Duration.ofMillis(50),
          new Batch(500, 5_000),
          new Retention(Duration.ofHours(24), 1L << 30),
          Duration.ofSeconds(60),
          Duration.ofMinutes(10),
          new DayRetention(
              Duration.ofDays(90), new LedgerSettings.LogRetention(Duration.ofDays(35), 0)),
          Duration.ofHours(1));
  private static final Results RESULTS = Results.of("ledger");

  @TempDir private Path folder = Path.of("");
  private final AtomicReference<@Nullable Throwable> fatal = new AtomicReference<>();
  private final AtomicInteger refused = new AtomicInteger();
  private final ScheduledExecutorService pacer = Executors.newSingleThreadScheduledExecutor();
  private final List<ExecutorService> loops =
      List.of(Executors.newSingleThreadExecutor(), Executors.newSingleThreadExecutor());

  @Test
  void waitsAndSettledRate() throws Exception {
    try (DataDirLock lock = DataDirLock.acquire(folder);
        Store store = Store.start(lock, StoreOptions.embedded(folder))) {
      List<Payers> shapes = List.of(Payers.of(store, 1), Payers.of(store, 500));
      PostgresLedgerStore ledgerStore = store.ledgerStore();
      var directory =
          JournalDirectory.open(folder, JournalOptions.of(SETTINGS), InstantSource.system());
      NodeCheckpoint mark = ledgerStore.checkpoints().read(directory.node());
      assertThat(directory.previousEpochs(mark)).isEmpty();
      LeaseHolder holder = ledgerStore.open(directory.node(), UUID.randomUUID());
      var clock = new LedgerClock(System::nanoTime, ledgerStore.millis());
      var rules = LedgerRules.of(SETTINGS.outageGrace(), SETTINGS.leaseTtl());
      try (LocalJournal journal = directory.beginEpoch(holder, mark.store(), fatal::set);
          LeaseClient leaser =
              new LeaseClient(ledgerStore, holder, clock, journal, rules, () -> {});
          Settler settler =
              Settler.start(
                  journal,
                  holder,
                  new SettlementWriter(ledgerStore, ledgerStore::quarantine),
                  toldTo(leaser),
                  SETTINGS)) {
        leaser.start();
        while (!leaser.ledger().isOpen()) {
          Thread.onSpinWait();
        }
        run(leaser.ledger(), settler, shapes);
      }
      assertThat(store.ledgerAudit().run()).isEmpty();
    }
    pacer.shutdown();
    loops.forEach(ExecutorService::shutdown);
    assertThat(fatal.get()).isNull();
    assertThat(refused).as("requests that were refused").hasValue(0);
  }

  private static SettlerListener toldTo(LeaseClient leaser) {
    return new SettlerListener() {
      @Override
      public void settled(List<Settlement> settlements, List<LeaseGrowth> overruns) {
        leaser.applyOverruns(overruns);
      }

      @Override
      public void quarantined(Settlement settlement) {
        throw new AssertionError(settlement);
      }
    };
  }

  private void run(NodeLedger ledger, Settler settler, List<Payers> shapes) throws Exception {
    for (Payers payers : shapes) {
      saturated(ledger, settler, payers, CHARGES / 2); // warms up
      paced(ledger, payers, 1);
      RESULTS.print(payers.name() + ", " + paced(ledger, payers, SECONDS));
      double perSecond = saturated(ledger, settler, payers, CHARGES);
      RESULTS.print(
          String.format(Locale.ROOT, "%s, saturated: %.0f settled/s", payers.name(), perSecond));
    }
  }

  /** Requests that come evenly, whatever became of the one before. */
  private String paced(NodeLedger ledger, Payers payers, int seconds) throws Exception {
    int requests = PER_SECOND * seconds;
    Waits waits = new Waits(new long[requests], new long[requests]);
    CountDownLatch done = new CountDownLatch(requests);
    AtomicInteger next = new AtomicInteger();
    ScheduledFuture<?> every =
        pacer.scheduleAtFixedRate(
            () -> {
              int request = next.getAndIncrement();
              if (request < requests) {
                ExecutorService loop = loops.get(request % loops.size());
                loop.execute(() -> ask(ledger, payers, request, loop, waits, done));
              }
            },
            0,
            TimeUnit.SECONDS.toNanos(1) / PER_SECOND,
            TimeUnit.NANOSECONDS);
    assertThat(done.await(seconds + 30, TimeUnit.SECONDS)).isTrue();
    every.cancel(false);
    return String.format(
        Locale.ROOT,
        "%d a second: reserved after p50 %.1f us, p99 %.1f us; durable after p50 %.0f us, p99 %.0f us",
        PER_SECOND,
        percentile(waits.reserved, 50),
        percentile(waits.reserved, 99),
        percentile(waits.durable, 50),
        percentile(waits.durable, 99));
  }

  /** In nanoseconds, of each request. */
  @SuppressWarnings("ArrayRecordComponent") // filled by the loops
  private record Waits(long[] reserved, long[] durable) {}

  private void ask(
      NodeLedger ledger,
      Payers payers,
      int request,
      ExecutorService loop,
      Waits waits,
      CountDownLatch done) {
    RequestId id = RequestId.at(System.currentTimeMillis());
    byte[] row = Payers.row(id);
    long asked = System.nanoTime();
    ledger.reserve(
        id,
        payers.key(request),
        MOST,
        loop,
        answer -> {
          long answered = System.nanoTime();
          waits.reserved[request] = answered - asked;
          settle(
              answer,
              row,
              () -> {
                waits.durable[request] = System.nanoTime() - answered;
                done.countDown();
              });
        });
  }

  /** Charges a second, from the first reservation until the last one stands in the books. */
  private double saturated(NodeLedger ledger, Settler settler, Payers payers, int charges)
      throws Exception {
    CountDownLatch done = new CountDownLatch(OPEN_MAX);
    AtomicLong left = new AtomicLong(charges);
    long began = System.nanoTime();
    for (int i = 0; i < OPEN_MAX; i++) {
      new Chain(ledger, payers, loops.get(i % loops.size()), left, done).start();
    }
    assertThat(done.await(300, TimeUnit.SECONDS)).isTrue();
    assertThat(settler.drain(Duration.ofSeconds(60))).isZero();
    return charges / ((System.nanoTime() - began) / 1e9);
  }

  /** A client whose next request follows its last one. */
  private final class Chain {
    private final NodeLedger ledger;
    private final Payers payers;
    private final ExecutorService loop;
    private final AtomicLong left;
    private final CountDownLatch done;

    Chain(
        NodeLedger ledger,
        Payers payers,
        ExecutorService loop,
        AtomicLong left,
        CountDownLatch done) {
      this.ledger = ledger;
      this.payers = payers;
      this.loop = loop;
      this.left = left;
      this.done = done;
    }

    void start() {
      loop.execute(this::next);
    }

    private void next() {
      long number = left.decrementAndGet();
      if (number < 0) {
        done.countDown();
        return;
      }
      RequestId id = RequestId.at(System.currentTimeMillis());
      byte[] row = Payers.row(id);
      ledger.reserve(id, payers.key(number), MOST, loop, answer -> settle(answer, row, this::next));
    }
  }

  private void settle(ReserveResult answer, byte[] row, Runnable durable) {
    switch (answer) {
      case ReserveResult.Reserved(Reservation reservation) -> {
        reservation.begin();
        reservation.settle(COST, TOKENS, SettlementKind.COMPLETED, row, durable);
      }
      case ReserveResult.Refused _ -> {
        refused.incrementAndGet();
        loops.getFirst().execute(durable);
      }
    }
  }

  private static double percentile(long[] nanos, int percent) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return sorted[(int) ((long) sorted.length * percent / 100)] / 1e3;
  }
}
