package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Journal;
import dev.tollgate.core.ledger.JournalRecord;
import dev.tollgate.core.ledger.JournalRecord.Progress;
import dev.tollgate.core.ledger.JournalRecord.Reserve;
import dev.tollgate.core.ledger.JournalRecord.Settle;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.ledger.SegmentName.State;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Write-ahead journal of reservations and charges for one epoch of the node, on a local disk. One
 * thread writes what is queued, syncs once for all of it, and runs the callbacks that wait for it.
 * A disk error ends the process, because the state after a failed sync is unknown.
 */
public final class LocalJournal
    implements Journal, ChargeSource, RollbackDetector.CheckpointedJournal, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalJournal.class);

  /** Time for which a writer that stops may still wait for space on a full disk. */
  private static final Duration SPACE_WAIT = Duration.ofSeconds(5);

  /** Progress may fill half of the queue, so that it alone never stops admission. */
  private static final int PROGRESS_SHARE = 2;

  /** Least and greatest horizon within which charges share a sync. */
  private static final Duration SHARED_SYNC_MIN = Duration.ofNanos(800_000);

  private static final Duration SHARED_SYNC_MAX = Duration.ofMillis(5);

  private final Queue<Queued> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicInteger reservationsQueued = new AtomicInteger();
  private final AtomicBoolean failed = new AtomicBoolean();
  private final WriterWakeup wakeup = new WriterWakeup();
  private final DurabilityCallbacks completions = new DurabilityCallbacks();

  private final GroupWriter writer;
  private final SegmentSupply supply;
  private final LiveSegments liveSegments;
  private final UnsettledQueue unsettled;
  private final Archive archive;
  private final JournalThreads background;
  private final int segmentBytes;
  private final int queuedMax;
  private final Consumer<Throwable> fatal;
  private final CompletableFuture<Void> writerDone;

  /** Charges found by the present poll of the queue. Confined to the writer's thread. */
  private int charges;

  private volatile boolean closing;
  private volatile boolean closed;
  private volatile long wakeAt = Long.MAX_VALUE;
  private volatile Runnable wake = () -> {};

  private record Queued(JournalRecord record, @Nullable DurabilityWaiter waiter) {}

  private record DurabilityWaiter(Executor loop, Runnable durable) {}

  LocalJournal(
      Disk disk,
      SegmentSupply supply,
      Archive archive,
      JournalThreads background,
      JournalOptions options,
      Consumer<Throwable> fatal)
      throws IOException {
    this.supply = supply;
    this.liveSegments = new LiveSegments();
    this.unsettled = new UnsettledQueue(disk, options.unsettledMax());
    this.archive = archive;
    this.background = background;
    this.segmentBytes = options.segmentBytes();
    this.queuedMax = options.queuedMax();
    this.fatal = fatal;
    this.writer =
        new GroupWriter(supply.first(), supply, liveSegments, unsettled, options.durability());
    this.writerDone = background.startWriter(this::loop);
  }

  @Override
  public boolean admits() {
    long running = (long) writer.runningCount() + reservationsQueued.get();
    long needed = running * Frames.FRAME_BYTES_MAX + segmentBytes;
    return queued.get() < queuedMax
        && !failed.get()
        && !closing
        && writer.segmentBytesFree() + supply.freeBytes() >= needed;
  }

  @Override
  public void write(JournalRecord record) {
    requireOpen(record);
    if (record instanceof Progress && queued.get() >= queuedMax / PROGRESS_SHARE) {
      return; // the disk does not keep up, and charges have priority
    }
    if (record instanceof Reserve) {
      reservationsQueued.incrementAndGet();
    }
    enqueue(new Queued(record, null));
    wakeup.signal();
  }

  private void enqueue(Queued next) {
    queued.incrementAndGet();
    queue.add(next);
  }

  // A record that is queued after the close would be lost silently.
  private void requireOpen(JournalRecord record) {
    if (closed) {
      throw new IllegalStateException(
          "the journal was closed before the end of " + record.request());
    }
  }

  @Override
  public void settle(Settlement settlement, Executor loop, Runnable durable) {
    JournalRecord record = new Settle(settlement);
    requireOpen(record);
    enqueue(new Queued(record, new DurabilityWaiter(loop, durable)));
    wakeup.signalWaiting();
  }

  @Override
  public List<Settlement> unsettled(int max) {
    try {
      return failed.get() ? List.of() : unsettled.oldest(max);
    } catch (IOException | RuntimeException e) {
      fail(e);
      return List.of();
    }
  }

  @Override
  public void settled(int count) {
    liveSegments.settled(unsettled.remove(count));
    if (liveSegments.hasRetirable(unsettled.readBackFrom())) {
      background.execute(this::retire);
    }
  }

  @Override
  public long backlog() {
    return unsettled.size();
  }

  @Override
  public long neededFrom() {
    return liveSegments.neededFrom();
  }

  @Override
  public void checkpointed(long keptFrom) {
    if (closed) {
      recordCheckpoint(keptFrom); // the other threads have ended
    } else {
      background.execute(() -> recordCheckpoint(keptFrom));
    }
  }

  private void recordCheckpoint(long keptFrom) {
    try {
      archive.checkpoint(keptFrom);
    } catch (IOException e) {
      // A stale checkpoint is safe: more segments are kept, and would be sent again.
      LOG.warn("the ledger checkpoint cannot be written: {}", e.toString());
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  /** Calls the settler, from the writer's thread, whenever {@code charges} are waiting. */
  void wakeAt(long charges, Runnable settler) {
    wake = settler;
    wakeAt = charges;
  }

  /** Returns the number of running requests with a reservation, for the metrics. */
  public int running() {
    return writer.runningCount();
  }

  /** Returns the number of records that are not written yet. */
  public int queued() {
    return queued.get();
  }

  /**
   * Writes what is queued and stops. Nothing may be written afterwards; the next epoch recovers
   * charges that are not settled.
   */
  @Override
  public void close() {
    closing = true;
    wakeup.wakePermanently();
    writerDone.copy().completeOnTimeout(null, SPACE_WAIT.toMillis(), TimeUnit.MILLISECONDS).join();
    if (!writerDone.isDone()) {
      supply.stop();
    }
    writerDone.join();
    closed = true;
    CompletableFuture<Void> cleared = new CompletableFuture<>();
    // After a segment that is just being created.
    background.execute(() -> cleanUp(cleared));
    cleared.join();
    background.shutdown();
  }

  private void loop() {
    SyncBatchSizer batchSizer =
        new SyncBatchSizer(SHARED_SYNC_MIN, SHARED_SYNC_MAX, System.nanoTime());
    while (!failed.get()) {
      wakeup.reset();
      boolean last = closing; // read after the reset: close() sets it before it wakes the writer
      charges = 0;
      boolean worked = writeQueued();
      if (last) {
        finish();
        return;
      }
      int threshold =
          batchSizer.next(
              charges, writer.takeConcurrentMax(), completions.loopDelayNanos(), System.nanoTime());
      wakeup.await(worked, threshold, batchSizer.horizonNanos(), queue::isEmpty);
    }
  }

  /** Writes everything that is queued, in as few groups as possible. */
  boolean writeQueued() {
    boolean worked = false;
    try {
      while (!failed.get() && !queue.isEmpty()) {
        worked = true;
        writeGroup();
      }
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
    return worked;
  }

  private void writeGroup() throws IOException {
    writer.open();
    while (writer.hasRoom()) {
      Queued next = queue.poll();
      if (next == null) {
        break;
      }
      add(next);
    }
    writer.write();
    completions.run();
    if (unsettled.size() >= wakeAt) {
      wake.run();
    }
  }

  private void add(Queued next) {
    queued.decrementAndGet();
    writer.add(next.record());
    if (next.record() instanceof Reserve) {
      reservationsQueued.decrementAndGet();
    }
    if (next.waiter() != null) {
      charges++;
      completions.add(next.waiter().loop(), next.waiter().durable());
    }
  }

  /** Ends the writer's output. */
  void finish() {
    try {
      if (!failed.get()) {
        writer.finish();
      }
    } catch (IOException | RuntimeException e) {
      fail(e);
    }
  }

  private void cleanUp(CompletableFuture<Void> done) {
    try {
      supply.close();
      retire();
    } catch (IOException | RuntimeException e) {
      fail(e);
    } finally {
      done.complete(null);
    }
  }

  private void retire() {
    try {
      List<Long> done = liveSegments.takeRetirable(unsettled.readBackFrom());
      archive.retire(done.stream().map(id -> new SegmentName(id, State.JOURNAL)).toList());
      archive.prune();
    } catch (IOException | RuntimeException e) {
      fail(e);
    }
  }

  private void fail(Throwable error) {
    if (failed.compareAndSet(false, true)) {
      fatal.accept(error);
    }
  }
}
