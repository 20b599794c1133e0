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

/** Settled segments, kept for a while: they can be sent again to books that went back in time. */
final class Archive {
  private static final Logger log = LoggerFactory.getLogger(Archive.class);

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

  /** Takes segments in, oldest first; afterwards recovery leaves them alone. */
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

  /** The books said that they have all before a segment. Without that nothing is deleted. */
  void checkpoint(LedgerCheckpointFile updated) throws IOException {
    updated.write(disk);
    checkpoint = updated;
    prune();
  }

  /** The same books said so of a later segment. */
  void checkpoint(long keptFrom) throws IOException {
    if (keptFrom > checkpoint.keptFrom()) {
      checkpoint(new LedgerCheckpointFile(keptFrom, checkpoint.storeIdentity()));
    }
  }

  /** Deletes what is too old or too much, oldest first. */
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

  /** Deletes before its time what may go, oldest first, until so much is free. */
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
      log.warn(
          "the disk is nearly full: {} segments of booked charges, kept in case that the database"
              + " goes back in time, were deleted early",
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
