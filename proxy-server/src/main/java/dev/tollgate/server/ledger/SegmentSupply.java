package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the next segment ready, and knows what space there is besides. */
final class SegmentSupply {
  private static final Logger log = LoggerFactory.getLogger(SegmentSupply.class);
  private static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);

  /**
   * Space that is left to others, in segments: a store on the same disk that cannot extend its own
   * log goes down, and with it what would settle the charges.
   */
  static final int RESERVE_SEGMENTS = 4;

  /** The start of a process waits for its first segment. */
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

  /** The first segment, made while the caller waits; the next one is begun. */
  Segment first() throws IOException {
    Segment first = create(Math.min(segmentBytes, FIRST_BYTES_MAX));
    usableBytes = spareBytes();
    background.execute(this::prepare);
    background.schedule(RETRY_INTERVAL, this::refreshUsableBytes);
    return first;
  }

  /** The next segment, when there is one; the one behind it is begun. For the writer. */
  Segment take() {
    Segment taken = next.join();
    next = new CompletableFuture<>();
    background.execute(this::prepare);
    return taken;
  }

  /** Space for records beyond the present segment. */
  long freeBytes() {
    return (next.isDone() ? segmentBytes : 0) + usableBytes;
  }

  /** A writer that waits gets no segment any more. */
  void stop() {
    next.completeExceptionally(new IOException("the journal is closed"));
  }

  /** Clears away the segment that nobody took. */
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
      // Nothing was written to it yet: a full disk is waited out, and new requests are refused.
      usableBytes = 0;
      if (!failing) {
        failing = true;
        log.error(
            "cannot make a journal segment, tried every {}: {}", RETRY_INTERVAL, e.toString());
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

  /** Without room nothing is begun. What is kept for books that go back in time goes first. */
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

  /** What the journal may take; negative where others should have more than there is. */
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
