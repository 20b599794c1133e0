package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.JournalRecord.Settle;
import dev.tollgate.server.settings.LedgerSettings.Durability;
import dev.tollgate.server.settings.LedgerSettings.Retention;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** How many requests were under way at a time is what decides whether a charge waits for others. */
class GroupWriterTest {
  private static final Holder HOLDER = new Holder(new UUID(1, 1), 3, new UUID(2, 2));

  private final SimulatedDisk disk = new SimulatedDisk(true);
  private final Archive archive =
      new Archive(
          disk, new Retention(Duration.ofHours(1), 1L << 40), InstantSource.fixed(Instant.EPOCH));
  private final SegmentSupply supply =
      new SegmentSupply(disk, archive, HOLDER, 10, 64 * 1024, new StepBackground());
  private final GroupWriter writer;

  GroupWriterTest() throws IOException {
    writer =
        new GroupWriter(
            supply.first(), supply, new Shelf(), new UnbookedQueue(disk, 10), Durability.FSYNC);
  }

  @Test
  void oneAfterTheOtherIsOneAtATime() throws Exception {
    writer.open();
    for (int i = 0; i < 5; i++) {
      charge(reserve());
      writer.write();
      writer.open();
    }

    assertThat(writer.takeUnderWayMost()).isEqualTo(1);
  }

  @Test
  void whoWaitsForTheSyncIsStillUnderWay() throws Exception {
    writer.open();
    charge(reserve());
    charge(reserve());
    RequestId running = reserve();
    writer.write();

    assertThat(writer.takeUnderWayMost()).isEqualTo(3);
    assertThat(writer.takeUnderWayMost()).as("one runs").isEqualTo(1);

    writer.open();
    charge(running);
    writer.write();
    assertThat(writer.takeUnderWayMost()).as("it did when this was asked last").isEqualTo(1);
    assertThat(writer.takeUnderWayMost()).isZero();
  }

  private RequestId reserve() {
    RequestId request = Charged.request();
    writer.add(Charged.reserve(request));
    return request;
  }

  private void charge(RequestId request) {
    writer.add(new Settle(Charged.charge(request, 7, new byte[0])));
  }
}
