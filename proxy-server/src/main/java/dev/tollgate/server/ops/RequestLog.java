package dev.tollgate.server.ops;

import dev.tollgate.core.exchange.frame.RefusalCount;
import dev.tollgate.core.exchange.frame.RequestObserver;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.server.outage.StoreOutage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Request observer that writes ended requests without a charge to the request log in the store. The
 * others are written with their charge. Of refusals it writes some rows and counts the rest. One
 * thread writes batches from a bounded queue, and the counts; both are kept during an outage of the
 * store. What does not fit is dropped and counted; no request waits.
 */
public final class RequestLog implements RequestObserver, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RequestLog.class);
  private static final int WAITING_MAX = 8_192;
  private static final int BATCH_MAX = 500;
  private static final Duration BETWEEN_BATCHES = Duration.ofMillis(100);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration BETWEEN_COUNTS = Duration.ofSeconds(2);
  private static final Duration LAST_FLUSH = Duration.ofSeconds(2);

  private final Table table;
  private final CountTable countTable;
  private final Pauses pauses;
  private final RefusalCounts refusals;
  private final BlockingQueue<RequestRecord> waiting;
  private final LongAdder dropped = new LongAdder();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final StoreOutage outage = new StoreOutage(LOG, "requests without a charge");
  private final Thread writer;
  private volatile boolean abandoned;
  private long nextCountsNanos = System.nanoTime();

  /** Port to the database table of the request log. */
  public interface Table {
    /** Adds a row for each request; a row that exists is left as it is. */
    void add(List<RequestRecord> records) throws LedgerStoreException;
  }

  /** Port to the database table of counted refusals. */
  public interface CountTable {
    /** Adds to the counts, all or none. */
    void add(List<RefusalCount> counts) throws LedgerStoreException;
  }

  /** Pauses before a retry, and between two writes of counts. */
  record Pauses(Duration retry, Duration betweenCounts) {}

  public RequestLog(Table table, CountTable countTable) {
    this(
        table,
        countTable,
        new RefusalCounts(RefusalCounts.COUNTS_MAX, System::nanoTime),
        WAITING_MAX,
        new Pauses(RETRY, BETWEEN_COUNTS));
  }

  RequestLog(
      Table table, CountTable countTable, RefusalCounts refusals, int waitingMax, Pauses pauses) {
    this.table = table;
    this.countTable = countTable;
    this.refusals = refusals;
    this.pauses = pauses;
    this.waiting = new ArrayBlockingQueue<>(waitingMax);
    this.writer = Thread.ofPlatform().name("request-log").daemon().start(this::write);
  }

  @Override
  public void ended(RequestRecord record) {
    ApiKey key = record.key();
    if (key != null
        && isWanted(record)
        && refusals.leavesRow(record, key)
        && !waiting.offer(record)) {
      dropped.increment();
    }
  }

  /** Shed requests are not written, because that would add to the load. */
  private static boolean isWanted(RequestRecord record) {
    return record.outcome() != RequestOutcome.SHED && !isCharged(record);
  }

  private static boolean isCharged(RequestRecord record) {
    return record.served() != null && record.served().cost().isPositive();
  }

  /** Returns the number of requests that wait to be written. */
  public int waiting() {
    return waiting.size();
  }

  /** Returns whether the store can be reached, as the writer knows. */
  public StoreOutage outage() {
    return outage;
  }

  /** Returns the number of dropped requests. */
  public long dropped() {
    return dropped.sum();
  }

  /** Returns the number of counts of refusals in memory. */
  public int counts() {
    return refusals.size();
  }

  /** Returns the number of refusals that were counted instead of written. */
  public long counted() {
    return refusals.counted();
  }

  /** Returns the number of refusals that were neither written nor counted. */
  public long droppedRefusals() {
    return refusals.dropped();
  }

  private void write() {
    List<RequestRecord> batch = new ArrayList<>(BATCH_MAX);
    while (!abandoned) {
      waiting.drainTo(batch, BATCH_MAX);
      if (batch.isEmpty() && isStopping(Duration.ZERO)) {
        writeCounts();
        return;
      }
      boolean full = batch.size() == BATCH_MAX;
      write(batch);
      batch.clear();
      writeCountsIfDue();
      if (!full) {
        isStopping(BETWEEN_BATCHES);
      }
    }
  }

  private void write(List<RequestRecord> batch) {
    if (batch.isEmpty()) {
      return;
    }
    Outcome outcome = attempt(() -> table.add(batch));
    while (outcome == Outcome.UNREACHABLE && !isStopping(pauses.retry())) {
      outcome = attempt(() -> table.add(batch));
    }
    switch (outcome) {
      case WRITTEN -> {}
      case UNREACHABLE -> dropped.add(batch.size());
      case REFUSED -> writeSingly(batch);
    }
  }

  private enum Outcome {
    WRITTEN,
    UNREACHABLE,
    REFUSED
  }

  /** Writes the rows one by one, because one row makes the batch fail. */
  private void writeSingly(List<RequestRecord> batch) {
    if (batch.size() == 1) {
      dropped.increment();
    } else {
      batch.forEach(record -> write(List.of(record)));
    }
  }

  private void writeCountsIfDue() {
    if (System.nanoTime() - nextCountsNanos >= 0) {
      writeCounts();
      nextCountsNanos = System.nanoTime() + pauses.betweenCounts().toNanos();
    }
  }

  /** Writes what was counted; what the store does not take waits for the next time. */
  private void writeCounts() {
    List<RefusalCount> taken = refusals.take();
    for (int from = 0; from < taken.size(); from += BATCH_MAX) {
      List<RefusalCount> part = taken.subList(from, Math.min(taken.size(), from + BATCH_MAX));
      switch (attempt(() -> countTable.add(part))) {
        case WRITTEN -> {}
        case UNREACHABLE -> {
          refusals.putBack(taken.subList(from, taken.size()));
          return;
        }
        case REFUSED -> refusals.drop(part);
      }
    }
  }

  private interface Write {
    void run() throws LedgerStoreException;
  }

  private Outcome attempt(Write write) {
    long begunNanos = System.nanoTime();
    try {
      write.run();
      outage.succeeded(begunNanos);
      return Outcome.WRITTEN;
    } catch (LedgerStoreException e) {
      outage.begin(e.toString());
      return switch (e.kind()) {
        case UNREACHABLE, TRANSIENT -> Outcome.UNREACHABLE;
        case POISONED -> Outcome.REFUSED;
      };
    } catch (RuntimeException unexpected) {
      outage.begin(unexpected.toString());
      return Outcome.REFUSED;
    }
  }

  private boolean isStopping(Duration atMost) {
    try {
      return stopping.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Writes the waiting requests and counts, within a bounded time. */
  @Override
  public void close() {
    stopping.countDown();
    if (!hasEnded()) {
      abandoned = true;
      LOG.warn("{} requests are missing in the request log", waiting.size());
    }
    refusals.drop(refusals.take()); // nothing writes them any more
  }

  private boolean hasEnded() {
    try {
      return writer.join(LAST_FLUSH);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
