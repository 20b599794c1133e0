package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Supply of empty journal segments: keeps the next one preallocated, and tracks the free space of
 * the disk.
 */
final class SegmentSupply {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentSupply.class);
  private static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);

  /**
   * Disk space reserved for others, in segments: a database on the same disk that cannot extend its
   * log goes down, and then no charge can be settled.
   */
  static final int RESERVE_SEGMENTS = 4;

  /** Bound of the first segment, because the start of a process waits for it. */
  private static final int FIRST_BYTES_MAX = 1024 * 1024;

  private final Disk disk;
  private final Archive archive;
  private final LeaseHolder holder;
  private final int segmentBytes;
  private final JournalThreads background;
  private volatile CompletableFuture<Segment> next = new CompletableFuture<>();
  private volatile long usableBytes;
  private long nextId;
  private boolean failing;

  SegmentSupply(
      Disk disk,
      Archive archive,
      LeaseHolder holder,
      long firstId,
      int segmentBytes,
      JournalThreads background) {
    this.disk = disk;
    this.archive = archive;
    this.holder = holder;
    this.nextId = firstId;
    this.segmentBytes = segmentBytes;
    this.background = background;
  }

  /** Creates the first segment while the caller waits, and begins to prepare the next one. */
  Segment first() throws IOException {
    Segment first = create(Math.min(segmentBytes, FIRST_BYTES_MAX));
    usableBytes = spareBytes();
    background.execute(this::prepare);
    background.schedule(RETRY_INTERVAL, this::refreshUsableBytes);
    return first;
  }

  /**
   * Waits for the next segment and takes it, and begins to prepare the one after it. For the
   * writer.
   */
  Segment take() {
    Segment taken = next.join();
    next = new CompletableFuture<>();
    background.execute(this::prepare);
    return taken;
  }

  /** Returns the space for records beyond the present segment. */
  long freeBytes() {
    return (next.isDone() ? segmentBytes : 0) + usableBytes;
  }

  /** Fails a writer that waits for a segment. */
  void stop() {
    next.completeExceptionally(new IOException("the journal is closed"));
  }

  /** Deletes the prepared segment that was not used. */
  void close() throws IOException {
    if (next.isDone() && !next.isCompletedExceptionally()) {
      Segment untaken = next.join();
      untaken.close();
      disk.delete(new SegmentName(untaken.id(), SegmentName.State.JOURNAL).toString());
    }
  }

  private void prepare() {
    try {
      makeRoom();
      Segment made = create(segmentBytes);
      usableBytes = spareBytes();
      failing = false;
      if (!next.complete(made)) {
        made.close();
      }
    } catch (IOException | RuntimeException e) {
      // No record is affected: retried until the disk has space, while new requests are refused.
      usableBytes = 0;
      if (!failing) {
        failing = true;
        LOG.error(
            "cannot create a journal segment, retried every {}: {}", RETRY_INTERVAL, e.toString());
      }
      background.schedule(RETRY_INTERVAL, this::prepare);
    }
  }

  private void refreshUsableBytes() {
    try {
      usableBytes = failing ? 0 : spareBytes();
    } catch (IOException e) {
      usableBytes = 0;
    }
    background.schedule(RETRY_INTERVAL, this::refreshUsableBytes);
  }

  /** Fails unless there is room for a segment. Segments kept for a rollback are deleted first. */
  private void makeRoom() throws IOException {
    long lacking = segmentBytes - roomBytes();
    if (lacking > 0) {
      archive.free(lacking);
    }
    if (roomBytes() < segmentBytes) {
      throw new IOException(
          "the disk has %d bytes left, of which %d are for others"
              .formatted(disk.usableBytes(), reserveBytes()));
    }
  }

  private long spareBytes() throws IOException {
    return Math.max(0, roomBytes());
  }

  /** Returns the space for the journal; negative if less than the reserve is free. */
  private long roomBytes() throws IOException {
    return disk.usableBytes() - reserveBytes();
  }

  private long reserveBytes() {
    return (long) RESERVE_SEGMENTS * segmentBytes;
  }

  private Segment create(int bytes) throws IOException {
    Segment made = Segment.create(disk, new SegmentHeader(nextId, holder), bytes);
    nextId++;
    return made;
  }
}
