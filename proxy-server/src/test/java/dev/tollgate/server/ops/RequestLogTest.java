package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RefusalCount;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Requests without a charge reach the request log. */
class RequestLogTest {
  private static final int WAITING_MAX = 4;

  private final List<RequestRecord> rows = new CopyOnWriteArrayList<>();
  private final List<RefusalCount> counts = new CopyOnWriteArrayList<>();
  private final RefusalCounts refusals = new RefusalCounts(8, System::nanoTime);

  @Test
  void onlyUnchargedRequestsOfKnownKeysAreWritten() throws Exception {
    RequestRecord refused = uncharged(402);
    try (RequestLog log = log(rows::addAll)) {
      log.ended(RequestRecords.streamed());
      log.ended(RequestRecords.refused("/v1/models", ErrorCode.INVALID_API_KEY));
      log.ended(refused);
    }
    assertThat(rows).containsExactly(refused);
  }

  @Test
  void overflowIsDroppedAndCounted() throws Exception {
    var asked = new CountDownLatch(1);
    var answer = new Semaphore(0);
    RequestLog log =
        log(
            records -> {
              asked.countDown();
              answer.acquireUninterruptibly();
              rows.addAll(records);
            });
    log.ended(uncharged(400));
    asked.await();
    for (int i = 0; i < WAITING_MAX + 3; i++) {
      log.ended(uncharged(400));
    }
    assertThat(log.waiting()).isEqualTo(WAITING_MAX);
    assertThat(log.dropped()).isEqualTo(3);
    answer.release(100);
    log.close();
    assertThat(rows).hasSize(1 + WAITING_MAX);
    assertThat(log.waiting()).isZero();
  }

  @Test
  void requestsWaitWhileTheStoreIsDown() throws Exception {
    var failures = new AtomicInteger(3);
    var written = new CountDownLatch(1);
    try (RequestLog log =
        log(
            records -> {
              if (failures.getAndDecrement() > 0) {
                throw failure(Kind.TRANSIENT);
              }
              rows.addAll(records);
              written.countDown();
            })) {
      log.ended(uncharged(400));
      written.await();
      assertThat(log.dropped()).isZero();
    }
    assertThat(rows).hasSize(1);
  }

  @Test
  void aRefusedRowIsWrittenAlone() throws Exception {
    RequestLog log =
        log(
            records -> {
              if (records.stream().anyMatch(record -> record.status() == 500)) {
                throw failure(Kind.POISONED);
              }
              rows.addAll(records);
            });
    log.ended(uncharged(400));
    log.ended(uncharged(500));
    log.ended(uncharged(404));
    log.close();
    assertThat(rows).extracting(RequestRecord::status).containsExactly(400, 404);
    assertThat(log.dropped()).isOne();
  }

  @Test
  void shedRequestsAreNotWritten() {
    RequestLog log = log(rows::addAll);
    ErrorCode code = ErrorCode.SERVICE_UNAVAILABLE;
    log.ended(
        RequestRecords.record(
            "/v1/chat/completions", 503, RequestOutcome.SHED, code, RequestRecords.KEY, null));
    log.ended(uncharged(400));
    log.close();
    assertThat(rows).extracting(RequestRecord::status).containsExactly(400);
  }

  @Test
  void refusalsBeyondTheRowsOfAMinuteAreCountedAndWrittenAtTheEnd() {
    RequestLog log = log(rows::addAll, counts::addAll, Duration.ofHours(1));
    for (int i = 0; i < 100; i++) {
      awaitRoom(log);
      log.ended(uncharged(400));
    }
    assertThat(log.counted()).isEqualTo(100 - RefusalCounts.ROWS_MAX);
    assertThat(log.counts()).isOne();
    log.close();
    assertThat(rows).hasSize(RefusalCounts.ROWS_MAX);
    assertThat(counts).extracting(RefusalCount::refusals).containsExactly(80L);
    assertThat(counts).extracting(RefusalCount::code).containsExactly("validation_failed");
    assertThat(log.dropped() + log.droppedRefusals()).isZero();
  }

  @Test
  void countsWaitWhileTheStoreIsDown() throws Exception {
    var failures = new AtomicInteger(3);
    var written = new CountDownLatch(1);
    RequestLog.CountTable table =
        added -> {
          if (failures.getAndDecrement() > 0) {
            throw failure(Kind.UNREACHABLE);
          }
          counts.addAll(added);
          written.countDown();
        };
    try (RequestLog log = log(_ -> {}, table, Duration.ofMillis(1))) {
      for (int i = 0; i < RefusalCounts.ROWS_MAX + 5; i++) {
        awaitRoom(log);
        log.ended(uncharged(400));
      }
      written.await();
    }
    assertThat(counts.stream().mapToLong(RefusalCount::refusals).sum()).isEqualTo(5);
    assertThat(refusals.dropped()).isZero();
  }

  @Test
  void countsThatTheStoreDidNotTakeByTheEndAreDroppedAndCounted() {
    RequestLog.CountTable table =
        _ -> {
          throw failure(Kind.UNREACHABLE);
        };
    RequestLog log = log(rows::addAll, table, Duration.ofMillis(1));
    for (int i = 0; i < RefusalCounts.ROWS_MAX + 5; i++) {
      awaitRoom(log);
      log.ended(uncharged(400));
    }
    log.close();
    assertThat(log.droppedRefusals()).isEqualTo(5);
  }

  private static void awaitRoom(RequestLog log) {
    while (log.waiting() == WAITING_MAX) {
      Thread.onSpinWait();
    }
  }

  private RequestLog log(RequestLog.Table table) {
    return log(table, counts::addAll, Duration.ofMillis(1));
  }

  private RequestLog log(
      RequestLog.Table table, RequestLog.CountTable countTable, Duration betweenCounts) {
    var pauses = new RequestLog.Pauses(Duration.ofMillis(1), betweenCounts);
    return new RequestLog(table, countTable, refusals, WAITING_MAX, pauses);
  }

  private static RequestRecord uncharged(int status) {
    return RequestRecords.record(
        "/v1/chat/completions",
        status,
        RequestOutcome.REJECTED,
        ErrorCode.VALIDATION_FAILED,
        RequestRecords.KEY,
        null);
  }

  private static LedgerStoreException failure(Kind kind) {
    return new LedgerStoreException(kind, "on purpose", new IllegalStateException());
  }
}
