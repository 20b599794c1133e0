package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Reserve;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStoreIdentity;
import dev.tollgate.core.ledger.NodeCheckpoint;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.ledger.JournalDirectory;
import dev.tollgate.server.ledger.JournalOptions;
import dev.tollgate.server.ledger.LocalJournal;
import dev.tollgate.server.settings.LedgerSettings.Durability;
import dev.tollgate.server.settings.LedgerSettings.Retention;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a client waits for its charge to be durable: settlers that each wait for one charge before
 * the next, on two loops, with reservations in between as a gateway writes them.
 */
class JournalBench {
  private static final int SECONDS = Integer.getInteger("bench.seconds", 5);
  private static final int LOOPS = 2;
  private static final int SEGMENT_BYTES = 16 * 1024 * 1024;
  private static final int QUEUED_MAX = 20_000;
  private static final int UNBOOKED_MAX = 10_000;
  private static final int ROW_BYTES = 600;
  private static final Results RESULTS = Results.of("journal");
  private static final OrgId ORG = new OrgId(new UUID(1, 2));
  private static final KeyId KEY = new KeyId("abcd1234");

  @TempDir private Path folder = Path.of("");
  private final AtomicReference<@Nullable Throwable> fatal = new AtomicReference<>();

  @Test
  void settleLatency() throws Exception {
    for (Durability durability : List.of(Durability.FSYNC, Durability.PROCESS)) {
      for (int settlers : List.of(1, 8, 64, 1_024)) {
        measure(durability, settlers);
      }
    }
    assertThat(fatal.get()).isNull();
  }

  private void measure(Durability durability, int settlers) throws Exception {
    var retention = new Retention(Duration.ofHours(1), 4L * SEGMENT_BYTES);
    var options =
        new JournalOptions(durability, SEGMENT_BYTES, QUEUED_MAX, UNBOOKED_MAX, retention);
    Path dataDir = folder.resolve(durability + "-" + settlers);
    var directory = JournalDirectory.open(dataDir, options, InstantSource.system());
    var holder = new LeaseHolder(directory.node(), 1, UUID.randomUUID());
    NodeCheckpoint nothing =
        new NodeCheckpoint(LedgerStoreIdentity.UNKNOWN, 0, Optional.empty(), 0, 1);
    assertThat(directory.previousEpochs(nothing)).isEmpty();
    try (LocalJournal journal =
        directory.beginEpoch(holder, LedgerStoreIdentity.UNKNOWN, fatal::set)) {
      run(journal, settlers, 1);
      long[] nanos = run(journal, settlers, SECONDS);
      Arrays.sort(nanos);
      RESULTS.print(
          "%s, %d settlers: p50 %d us, p99 %d us, %d settlements/s"
              .formatted(
                  durability,
                  settlers,
                  nanos[nanos.length / 2] / 1_000,
                  nanos[nanos.length * 99 / 100] / 1_000,
                  nanos.length / SECONDS));
    }
  }

  private static long[] run(LocalJournal journal, int settlers, int seconds) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    CountDownLatch done = new CountDownLatch(settlers);
    List<ExecutorService> loops = new ArrayList<>();
    for (int i = 0; i < LOOPS; i++) {
      loops.add(Executors.newSingleThreadExecutor());
    }
    List<Chain> chains = new ArrayList<>();
    for (int i = 0; i < settlers; i++) {
      Chain chain = new Chain(journal, loops.get(i % LOOPS), end, done);
      chains.add(chain);
      chain.loop.execute(chain::next);
    }
    while (!done.await(20, TimeUnit.MILLISECONDS)) {
      journal.settled(journal.unsettled(UNBOOKED_MAX / 2).size());
    }
    loops.forEach(ExecutorService::shutdown);
    return chains.stream().flatMapToLong(chain -> chain.nanos.stream().mapToLong(n -> n)).toArray();
  }

  /** One settler: its next charge follows its last one. */
  private static final class Chain {
    private final LocalJournal journal;
    private final ExecutorService loop;
    private final long end;
    private final CountDownLatch done;
    private final List<Long> nanos = new ArrayList<>();

    Chain(LocalJournal journal, ExecutorService loop, long end, CountDownLatch done) {
      this.journal = journal;
      this.loop = loop;
      this.end = end;
      this.done = done;
    }

    void next() {
      long began = System.nanoTime();
      if (began >= end) {
        done.countDown();
        return;
      }
      RequestId request = RequestId.at(1_700_000_000_000L);
      journal.write(new Reserve(request, ORG, KEY, 15, new MicroUsd(2_000)));
      journal.settle(
          charge(request),
          loop,
          () -> {
            nanos.add(System.nanoTime() - began);
            next();
          });
    }

    private static Settlement charge(RequestId request) {
      Tokens tokens = new Tokens(1_000, 200, 0, 0, false);
      MicroUsd cost = new MicroUsd(1_500);
      byte[] row = new byte[ROW_BYTES];
      return new Settlement(
          request, ORG, KEY, 15, new MicroUsd(2_000), cost, tokens, SettlementKind.COMPLETED, row);
    }
  }
}
