package dev.tollgate.server.ops;

import dev.tollgate.core.exchange.frame.RequestObserver;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
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
 * others are written with their charge. One thread writes batches from a bounded queue, which also
 * holds them during an outage of the store. Requests that do not fit are dropped and counted; no
 * request waits.
 */
public final class RequestLog implements RequestObserver, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RequestLog.class);
  private static final int WAITING_MAX = 8_192;
  private static final int BATCH_MAX = 500;
  private static final Duration BETWEEN_BATCHES = Duration.ofMillis(100);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration LAST_FLUSH = Duration.ofSeconds(2);

  private final Table table;
  private final Duration retry;
  private final BlockingQueue<RequestRecord> waiting;
  private final LongAdder dropped = new LongAdder();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final StoreOutage outage = new StoreOutage(LOG, "requests without a charge");
  private final Thread writer;
  private volatile boolean abandoned;

  /** Port to the database table of the request log. */
  public interface Table {
    /** Adds a row for each request; a row that exists is left as it is. */
    void add(List<RequestRecord> records) throws LedgerStoreException;
  }

  public RequestLog(Table table) {
    this(table, WAITING_MAX, RETRY);
  }

  RequestLog(Table table, int waitingMax, Duration retry) {
    this.table = table;
    this.retry = retry;
    this.waiting = new ArrayBlockingQueue<>(waitingMax);
    this.writer = Thread.ofPlatform().name("request-log").daemon().start(this::write);
  }

  @Override
  public void ended(RequestRecord record) {
    if (isWanted(record) && !waiting.offer(record)) {
      dropped.increment();
    }
  }

  /** Shed requests are not written, because that would add to the load. */
  private static boolean isWanted(RequestRecord record) {
    return record.key() != null && record.outcome() != RequestOutcome.SHED && !isCharged(record);
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

  private void write() {
    List<RequestRecord> batch = new ArrayList<>(BATCH_MAX);
    while (!abandoned) {
      waiting.drainTo(batch, BATCH_MAX);
      if (batch.isEmpty() && isStopping(Duration.ZERO)) {
        return;
      }
      boolean full = batch.size() == BATCH_MAX;
      write(batch);
      batch.clear();
      if (!full) {
        isStopping(BETWEEN_BATCHES);
      }
    }
  }

  private void write(List<RequestRecord> batch) {
    if (batch.isEmpty()) {
      return;
    }
    Outcome outcome = tryAdd(batch);
    while (outcome == Outcome.UNREACHABLE && !isStopping(retry)) {
      outcome = tryAdd(batch);
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

  private Outcome tryAdd(List<RequestRecord> batch) {
    long begunNanos = System.nanoTime();
    try {
      table.add(batch);
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

  /** Writes the waiting requests, within a bounded time. */
  @Override
  public void close() {
    stopping.countDown();
    if (!hasEnded()) {
      abandoned = true;
      LOG.warn("{} requests are missing in the request log", waiting.size());
    }
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
