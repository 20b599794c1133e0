package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStoreIdentity;
import dev.tollgate.server.ledger.SegmentName.State;
import dev.tollgate.server.settings.LedgerSettings.Retention;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A nearly full disk leaves a reserve to others. */
class SegmentSupplyTest {
  private static final int SEGMENT_BYTES = 64 * 1024;
  private static final long OTHERS_BYTES = (long) SegmentSupply.RESERVE_SEGMENTS * SEGMENT_BYTES;
  private static final LeaseHolder HOLDER = new LeaseHolder(new UUID(1, 1), 3, new UUID(2, 2));

  private final SimulatedDisk disk = new SimulatedDisk(true);
  private final Archive archive =
      new Archive(
          disk, new Retention(Duration.ofHours(1), 1L << 40), InstantSource.fixed(Instant.EPOCH));
  private final SegmentSupply supply =
      new SegmentSupply(disk, archive, HOLDER, 10, SEGMENT_BYTES, new InlineJournalThreads());

  @Test
  void aFailedSegmentLeavesNoBytes() throws Exception {
    disk.holdsBytes(SEGMENT_BYTES + SEGMENT_BYTES / 2);

    supply.first();

    assertThat(disk.usedBytes()).as("what the first takes").isEqualTo(SEGMENT_BYTES);
    assertThat(files()).containsExactly("000000000000000a.journal");
    assertThat(supply.freeBytes()).isZero();
  }

  @Test
  void theReserveIsLeftToOthers() throws Exception {
    disk.capacityBytes(2 * SEGMENT_BYTES + OTHERS_BYTES - 1);

    supply.first();

    assertThat(files()).containsExactly("000000000000000a.journal");
    assertThat(supply.freeBytes()).isZero();
  }

  @Test
  void spaceAboveTheReserveIsTheJournals() throws Exception {
    disk.capacityBytes(2 * SEGMENT_BYTES + OTHERS_BYTES + 7);

    supply.first();

    assertThat(files()).containsExactly("000000000000000a.journal", "000000000000000b.journal");
    assertThat(supply.freeBytes()).isEqualTo(SEGMENT_BYTES + 7);
  }

  @Test
  void segmentsKeptForARollbackMakeRoomOldestFirst() throws Exception {
    keepThree();
    disk.capacityBytes(4 * SEGMENT_BYTES + OTHERS_BYTES);

    supply.first();

    assertThat(files())
        .containsExactly(
            "0000000000000002.settled",
            "0000000000000003.settled",
            "000000000000000a.journal",
            "000000000000000b.journal");
  }

  @Test
  void segmentsThatTheStoreMayLackAreKept() throws Exception {
    keepThree();
    disk.capacityBytes(2 * SEGMENT_BYTES + OTHERS_BYTES);

    supply.first();

    assertThat(files()).containsExactly("0000000000000003.settled", "000000000000000a.journal");
    assertThat(supply.freeBytes()).isZero();
  }

  /** Creates an archive of which the store has the first two segments. */
  private void keepThree() throws IOException {
    for (long id = 1; id <= 3; id++) {
      disk.create(new SegmentName(id, State.SETTLED).toString(), SEGMENT_BYTES).close();
    }
    archive.checkpoint(new LedgerCheckpointFile(3, LedgerStoreIdentity.UNKNOWN));
    disk.delete("books");
  }

  private List<String> files() {
    return disk.list().stream().map(Disk.FileEntry::name).toList();
  }
}
