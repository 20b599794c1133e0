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
 * The journal of one life on a local disk. One thread writes what is queued, syncs once for all of
 * it, and lets everyone who waited go on; an error of the disk ends the process, for what a failed
 * sync left behind is not known.
 */
public final class LocalJournal
    implements Journal, ChargeSource, RollbackDetector.CheckpointedJournal, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LocalJournal.class);

  /** A writer that stops may still wait for a full disk. */
  private static final Duration SPACE_WAIT = Duration.ofSeconds(5);

  /** Progress has a half of the queue: it never keeps a request out by itself. */
  private static final int PROGRESS_SHARE = 2;

  /** Within which charges share a sync: while loops answer at once, and however slow they are. */
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

  /** Those of the present look at the queue; the writer's alone. */
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
      return; // the disk does not keep up, and charges go first
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

  // Nobody reads the queue of a closed journal, and nobody must believe that it was written.
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
      // It knows less than is true: more is kept, and would be sent again.
      log.warn("what the books have cannot be noted: {}", e.toString());
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  /** Calls the settler, from the writer's thread, whenever that many charges wait. */
  void wakeAt(long charges, Runnable settler) {
    wake = settler;
    wakeAt = charges;
  }

  /** Reservations of requests that run, for the metrics. */
  public int running() {
    return writer.runningCount();
  }

  /** Records that are not written yet. */
  public int queued() {
    return queued.get();
  }

  /**
   * Writes what is queued and stops. Nothing may be written afterwards; what is not booked is found
   * by the next life.
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
    // Behind a segment that is just being made.
    background.execute(() -> cleanUp(cleared));
    cleared.join();
    background.shutdown();
  }

  private void loop() {
    SyncBatchSizer batchSizer =
        new SyncBatchSizer(SHARED_SYNC_MIN, SHARED_SYNC_MAX, System.nanoTime());
    while (!failed.get()) {
      wakeup.reset();
      boolean last = closing; // behind the answer: who closes rings after saying so
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

  /** Writes everything that is queued, in as few groups as will do. */
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

  /** The writer's last act. */
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
