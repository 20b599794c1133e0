package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Release;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStoreIdentity;
import dev.tollgate.server.settings.LedgerSettings.Durability;
import dev.tollgate.server.settings.LedgerSettings.Retention;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Faults of the disk: it fails, is full (D06), or is slow (D07). */
class JournalFaultsTest {
  private static final int SEGMENT_BYTES = 64 * 1024;
  private static final int QUEUED_MAX = 500;

  private final SimulatedDisk disk = new SimulatedDisk(true);
  private final List<Throwable> fatal = new ArrayList<>();
  private final List<Long> acknowledged = new ArrayList<>();

  @Test
  void anErrorOfTheDiskIsFatalOnceAndNothingIsAcknowledgedAnyMore() throws Exception {
    LocalJournal journal = begin();
    settle(journal, 1);
    assertThat(journal.admits()).isTrue();
    disk.crashAfter(0);

    settle(journal, 2);
    settle(journal, 3);

    assertThat(acknowledged).containsExactly(1L);
    assertThat(fatal).hasSize(1);
    assertThat(journal.admits()).isFalse();
    assertThat(journal.unsettled(10)).isEmpty();
  }

  @Test
  void admissionStopsWhileTheDiskCouldNotSettleWhatRuns() throws Exception {
    disk.usableBytes(
        100L * Frames.FRAME_BYTES_MAX + SegmentSupply.RESERVE_SEGMENTS * SEGMENT_BYTES);
    LocalJournal journal = begin();
    List<RequestId> running = new ArrayList<>();
    while (journal.admits()) {
      RequestId request = TestRecords.request();
      running.add(request);
      journal.write(TestRecords.reserve(request));
    }
    assertThat(running.size()).as("the disk's space and the next segment's").isBetween(100, 110);

    running.forEach(request -> journal.write(new Release(request)));
    journal.writeQueued();

    assertThat(journal.running()).isZero();
    assertThat(journal.admits()).isTrue();
    assertThat(fatal).isEmpty();
  }

  @Test
  void whileTheDiskHangsTheQueueIsBoundedAlsoAfterDisconnects() throws Exception {
    LocalJournal journal = begin();
    var hangs = new CountDownLatch(1);
    var goesOn = new CountDownLatch(1);
    disk.whenForced(() -> meet(hangs, goesOn));
    Thread writer = Thread.ofVirtual().start(() -> settle(journal, 1));
    await(hangs);

    int left = 0;
    while (journal.admits()) {
      RequestId request = TestRecords.request();
      journal.write(TestRecords.reserve(request));
      for (long cost = 1; cost < 10; cost++) {
        journal.write(TestRecords.progress(request, cost));
      }
      journal.settle(TestRecords.charge(request, 7, new byte[100]), Runnable::run, () -> {});
      left++;
      assertThat(journal.queued()).isLessThanOrEqualTo(QUEUED_MAX + 1);
    }
    assertThat(left).as("progress leaves room for charges").isGreaterThan(QUEUED_MAX / 8);
    assertThat(journal.queued()).isGreaterThanOrEqualTo(QUEUED_MAX);

    goesOn.countDown();
    writer.join();
    assertThat(journal.queued()).isZero();
    assertThat(journal.admits()).isTrue();
    assertThat(journal.backlog()).as("what was queued is charged").isEqualTo(left + 1);
    assertThat(fatal).isEmpty();
  }

  private static void meet(CountDownLatch hangs, CountDownLatch goesOn) {
    hangs.countDown();
    await(goesOn);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Test
  void aHeaderThatIsNoneIsRefused() throws Exception {
    LocalJournal journal = begin();
    settle(journal, 1);
    disk.bytes("0000000000000001.journal")[20] ^= 1;

    assertThatThrownBy(() -> open().previousEpochs(TestRecords.checkpoint(1)))
        .isInstanceOf(DamagedJournalException.class)
        .hasMessageContaining("0000000000000001.journal at byte 0");
  }

  private JournalDirectory open() throws IOException {
    var retention = new Retention(Duration.ofHours(1), 3L * SEGMENT_BYTES);
    var options = new JournalOptions(Durability.FSYNC, SEGMENT_BYTES, QUEUED_MAX, 100, retention);
    return JournalDirectory.open(disk, options, InstantSource.system(), InlineJournalThreads::new);
  }

  private LocalJournal begin() throws IOException {
    JournalDirectory directory = open();
    var holder = new LeaseHolder(directory.node(), 1, UUID.randomUUID());
    directory.previousEpochs(TestRecords.checkpoint(1));
    return directory.beginEpoch(holder, LedgerStoreIdentity.UNKNOWN, fatal::add);
  }

  private void settle(LocalJournal journal, long cost) {
    journal.settle(TestRecords.charge(cost), Runnable::run, () -> acknowledged.add(cost));
    journal.writeQueued();
  }
}
