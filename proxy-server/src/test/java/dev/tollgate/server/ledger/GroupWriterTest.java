package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Settle;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.server.settings.LedgerSettings.Durability;
import dev.tollgate.server.settings.LedgerSettings.Retention;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Counts of concurrent requests, which decide whether a charge waits for others. */
class GroupWriterTest {
  private static final LeaseHolder HOLDER = new LeaseHolder(new UUID(1, 1), 3, new UUID(2, 2));

  private final SimulatedDisk disk = new SimulatedDisk(true);
  private final Archive archive =
      new Archive(
          disk, new Retention(Duration.ofHours(1), 1L << 40), InstantSource.fixed(Instant.EPOCH));
  private final SegmentSupply supply =
      new SegmentSupply(disk, archive, HOLDER, 10, 64 * 1024, new InlineJournalThreads());
  private final GroupWriter writer;

  GroupWriterTest() throws IOException {
    writer =
        new GroupWriter(
            supply.first(),
            supply,
            new LiveSegments(),
            new UnsettledQueue(disk, 10),
            Durability.FSYNC);
  }

  @Test
  void oneAfterTheOtherIsOneAtATime() throws Exception {
    writer.open();
    for (int i = 0; i < 5; i++) {
      charge(reserve());
      writer.write();
      writer.open();
    }

    assertThat(writer.takeConcurrentMax()).isEqualTo(1);
  }

  @Test
  void aRequestThatWaitsForTheSyncCountsAsRunning() throws Exception {
    writer.open();
    charge(reserve());
    charge(reserve());
    RequestId running = reserve();
    writer.write();

    assertThat(writer.takeConcurrentMax()).isEqualTo(3);
    assertThat(writer.takeConcurrentMax()).as("one runs").isEqualTo(1);

    writer.open();
    charge(running);
    writer.write();
    assertThat(writer.takeConcurrentMax()).as("it did when this was asked last").isEqualTo(1);
    assertThat(writer.takeConcurrentMax()).isZero();
  }

  private RequestId reserve() {
    RequestId request = TestRecords.request();
    writer.add(TestRecords.reserve(request));
    return request;
  }

  private void charge(RequestId request) {
    writer.add(new Settle(TestRecords.charge(request, 7, new byte[0])));
  }
}
