package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStoreIdentity;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.server.settings.LedgerSettings.Durability;
import dev.tollgate.server.settings.LedgerSettings.Retention;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Journal with its threads, on the disk of this machine. */
class LocalJournalTest {
  private static final int SEGMENT_BYTES = 64 * 1024;
  private static final int QUEUED_MAX = 10_000;
  private static final int UNBOOKED_MAX = 10;

  @TempDir private Path dataDir = Path.of("");
  private final AtomicReference<@Nullable Throwable> fatal = new AtomicReference<>();

  @Test
  void aNodeKeepsItsName() throws Exception {
    UUID node = open().node();

    assertThat(open().node()).isEqualTo(node);
    assertThat(Files.readString(dataDir.resolve("journal/node"))).isEqualTo(node + "\n");
  }

  @Test
  void chargesOfAllThreadsAreAcknowledgedByTheirLoopsAndComeOutInOrder() throws Exception {
    int loops = 4;
    int each = 500;
    try (LocalJournal journal = beginFirst()) {
      CountDownLatch durable = new CountDownLatch(loops * each);
      List<ExecutorService> executors = new ArrayList<>();
      for (int i = 0; i < loops; i++) {
        ExecutorService loop = Executors.newSingleThreadExecutor();
        executors.add(loop);
        loop.execute(
            () -> {
              Thread own = Thread.currentThread();
              for (int cost = 1; cost <= each; cost++) {
                journal.settle(
                    TestRecords.charge(cost),
                    loop,
                    () -> {
                      assertThat(Thread.currentThread()).isSameAs(own);
                      durable.countDown();
                    });
              }
            });
      }

      assertThat(durable.await(30, TimeUnit.SECONDS)).isTrue();
      executors.forEach(ExecutorService::shutdown);
      assertThat(journal.backlog()).isEqualTo((long) loops * each);
      assertThat(drain(journal)).hasSize(loops * each);
      assertThat(journal.backlog()).isZero();
      assertThat(fatal.get()).isNull();
    }
  }

  @Test
  void unsettledChargesAreRecoveredByTheNextEpochOnce() throws Exception {
    RequestId crashed = TestRecords.request();
    List<Long> costs = new ArrayList<>();
    try (LocalJournal journal = beginFirst()) {
      journal.write(TestRecords.reserve(crashed));
      journal.write(TestRecords.progress(crashed, 77));
      for (long cost = 1; cost <= 50; cost++) {
        settleAndWait(journal, cost);
        costs.add(cost);
      }
      assertThat(journal.running()).isEqualTo(1);
    }

    JournalDirectory next = open();
    PreviousEpochJournal earlier = next.previousEpochs(TestRecords.checkpoint(1)).getFirst();
    assertThatThrownBy(() -> begin(next)).isInstanceOf(IllegalStateException.class);
    assertThat(earlier.holder().epoch()).isEqualTo(7);
    assertThat(earlier.backlog()).isEqualTo(51);
    List<Settlement> found = drain(earlier);
    assertThat(found.subList(0, 50)).extracting(charge -> charge.cost().value()).isEqualTo(costs);
    assertThat(found.getLast().how()).isEqualTo(SettlementKind.CRASH);
    assertThat(found.getLast().request()).isEqualTo(crashed);

    begin(next).close();
    JournalDirectory last = open();
    assertThat(last.previousEpochs(TestRecords.checkpoint(next.firstId() + 1))).isEmpty();
  }

  @Test
  void settledSegmentsAreKeptUpToTheirBound() throws Exception {
    try (LocalJournal journal = beginFirst()) {
      byte[] row = new byte[4_000];
      for (int i = 0; i < 200; i++) {
        settleAndWait(journal, TestRecords.charge(TestRecords.request(), i + 1, row));
        List<Settlement> batch = journal.unsettled(3);
        journal.settled(batch.size());
      }
      drain(journal);
      assertThat(files(".settled")).as("without a checkpoint of the store").hasSizeGreaterThan(9);
      journal.checkpointed(journal.neededFrom());
    }

    assertThat(files(".settled")).hasSize(3);
    assertThat(files(".journal")).isEmpty();
  }

  @Test
  void theNextEpochReadsTheLastCheckpoint() throws Exception {
    LocalJournal journal = beginFirst();
    settleAndWait(journal, 1);
    drain(journal);
    journal.close();
    journal.checkpointed(journal.neededFrom());

    JournalDirectory next = open();
    assertThat(next.isAheadOf(TestRecords.checkpoint(journal.neededFrom()))).isFalse();
    assertThat(next.isAheadOf(TestRecords.checkpoint(journal.neededFrom() - 1))).isTrue();
    assertThat(next.previousEpochs(TestRecords.checkpoint(journal.neededFrom() - 1))).hasSize(1);
  }

  @Test
  void aFileOfAnotherNodeIsRefused() throws Exception {
    try (LocalJournal journal = beginFirst()) {
      settleAndWait(journal, 1);
    }
    Files.delete(dataDir.resolve("journal/node"));

    assertThatThrownBy(() -> open().previousEpochs(TestRecords.checkpoint(1)))
        .isInstanceOf(DamagedJournalException.class)
        .hasMessageContaining("belongs to node");
  }

  private JournalDirectory open() throws IOException {
    var retention = new Retention(Duration.ofHours(1), 3L * SEGMENT_BYTES);
    var options =
        new JournalOptions(Durability.FSYNC, SEGMENT_BYTES, QUEUED_MAX, UNBOOKED_MAX, retention);
    return JournalDirectory.open(dataDir, options, InstantSource.system());
  }

  private LocalJournal beginFirst() throws IOException {
    JournalDirectory directory = open();
    assertThat(directory.previousEpochs(TestRecords.checkpoint(1))).isEmpty();
    return begin(directory);
  }

  private LocalJournal begin(JournalDirectory directory) throws IOException {
    var holder = new LeaseHolder(directory.node(), 7, UUID.randomUUID());
    return directory.beginEpoch(holder, LedgerStoreIdentity.UNKNOWN, fatal::set);
  }

  private static void settleAndWait(LocalJournal journal, long cost) throws Exception {
    settleAndWait(journal, TestRecords.charge(cost));
  }

  private static void settleAndWait(LocalJournal journal, Settlement settlement) throws Exception {
    CountDownLatch durable = new CountDownLatch(1);
    journal.settle(settlement, Runnable::run, durable::countDown);
    assertThat(durable.await(10, TimeUnit.SECONDS)).isTrue();
  }

  private static List<Settlement> drain(ChargeSource charges) {
    List<Settlement> all = new ArrayList<>();
    while (charges.backlog() > 0) {
      List<Settlement> batch = charges.unsettled(7);
      assertThat(batch).isNotEmpty();
      charges.settled(batch.size());
      all.addAll(batch);
    }
    return all;
  }

  private List<Path> files(String ending) throws IOException {
    try (Stream<Path> files = Files.list(dataDir.resolve("journal"))) {
      return files.filter(file -> file.toString().endsWith(ending)).toList();
    }
  }
}
