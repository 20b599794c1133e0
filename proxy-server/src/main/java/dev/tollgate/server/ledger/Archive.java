package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStoreIdentity;
import dev.tollgate.server.settings.LedgerSettings.Retention;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Archive of journal segments whose charges are settled, kept for a while so that they can be sent
 * again after a rollback of the ledger store.
 */
final class Archive {
  private static final Logger LOG = LoggerFactory.getLogger(Archive.class);

  private final Disk disk;
  private final Retention retention;
  private final InstantSource clock;
  private LedgerCheckpointFile checkpoint =
      new LedgerCheckpointFile(1, LedgerStoreIdentity.UNKNOWN);

  private record ArchivedSegment(SegmentName name, long bytes, long modifiedMillis) {}

  Archive(Disk disk, Retention retention, InstantSource clock) {
    this.disk = disk;
    this.retention = retention;
    this.clock = clock;
  }

  /** Marks segments as settled, oldest first; recovery then skips them. */
  void retire(List<SegmentName> names) throws IOException {
    for (SegmentName name : names) {
      if (name.state() != SegmentName.State.SETTLED) {
        disk.rename(name.toString(), name.withState(SegmentName.State.SETTLED).toString());
      }
    }
    if (!names.isEmpty()) {
      disk.forceDirectory();
    }
  }

  /** Records what the ledger store has of the journal. Segments after that are never deleted. */
  void checkpoint(LedgerCheckpointFile updated) throws IOException {
    updated.write(disk);
    checkpoint = updated;
    prune();
  }

  /** Records a later checkpoint in the same store. */
  void checkpoint(long keptFrom) throws IOException {
    if (keptFrom > checkpoint.keptFrom()) {
      checkpoint(new LedgerCheckpointFile(keptFrom, checkpoint.storeIdentity()));
    }
  }

  /** Deletes segments beyond the retention's time or size, oldest first. */
  void prune() throws IOException {
    List<ArchivedSegment> segments = settledSegments();
    long bytes = segments.stream().mapToLong(ArchivedSegment::bytes).sum();
    long oldestMillis = clock.millis() - retention.time().toMillis();
    boolean deleted = false;
    for (ArchivedSegment segment : segments) {
      boolean isRetained =
          bytes <= retention.bytesMax() && segment.modifiedMillis() >= oldestMillis;
      if (isRetained || segment.name().id() >= checkpoint.keptFrom()) {
        break;
      }
      disk.delete(segment.name().toString());
      bytes -= segment.bytes();
      deleted = true;
    }
    if (deleted) {
      disk.forceDirectory();
    }
  }

  /**
   * Deletes segments before their retention ends, oldest first, until the given number of bytes is
   * free.
   */
  void free(long bytes) throws IOException {
    long freed = 0;
    int count = 0;
    for (ArchivedSegment segment : settledSegments()) {
      if (freed >= bytes || segment.name().id() >= checkpoint.keptFrom()) {
        break;
      }
      disk.delete(segment.name().toString());
      freed += segment.bytes();
      count++;
    }
    if (count > 0) {
      disk.forceDirectory();
      LOG.warn(
          "the disk is nearly full: {} segments of settled charges, kept for a rollback of the"
              + " database, were deleted early",
          count);
    }
  }

  private List<ArchivedSegment> settledSegments() throws IOException {
    List<ArchivedSegment> segments = new ArrayList<>();
    for (Disk.FileEntry file : disk.list()) {
      Optional<SegmentName> name = SegmentName.of(file.name());
      if (name.isPresent() && name.get().state() == SegmentName.State.SETTLED) {
        segments.add(new ArchivedSegment(name.get(), file.bytes(), file.modifiedMillis()));
      }
    }
    segments.sort(Comparator.comparing(ArchivedSegment::name));
    return segments;
  }
}
