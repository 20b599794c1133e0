package dev.tollgate.server.ops;

import dev.tollgate.core.exchange.frame.RefusalCount;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.KeyState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counter of refused requests by key, code and minute of admission. Of the first ones of a minute
 * each leaves a row in the request log; the others, and all of a key that is not active, are only
 * counted. A refusal is a request that ended without a charge, without success and before any
 * attempt at a provider. Thread-safe; the counts are bounded in number.
 */
final class RefusalCounts {
  /** Refusals of one key, code and minute that leave a row. */
  static final int ROWS_MAX = 20;

  static final int COUNTS_MAX = 65_536;

  /** Longer than a minute and the time that a refusal takes. */
  private static final long KEPT_NANOS = Duration.ofMinutes(5).toNanos();

  private final Map<Bucket, Count> counts = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();
  private final LongAdder counted = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final int countsMax;
  private final LongSupplier nanoTime;

  private record Bucket(long epochMinute, OrgId org, KeyId key, String code) {}

  /** Count of a bucket, which is only touched within {@code compute} of the map. */
  private static final class Count {
    private final long begunNanos;
    private int rows;
    private long pending;

    Count(long begunNanos) {
      this.begunNanos = begunNanos;
    }
  }

  RefusalCounts(int countsMax, LongSupplier nanoTime) {
    this.countsMax = countsMax;
    this.nanoTime = nanoTime;
  }

  /** Decides whether an ended request leaves a row, and counts it if it does not. */
  boolean leavesRow(RequestRecord record, ApiKey key) {
    if (!isRefusal(record)) {
      return true;
    }
    int rowsMax = isActive(key, record.id().epochMillis()) ? ROWS_MAX : 0;
    var bucket =
        new Bucket(
            RefusalCount.minuteOf(record.id().epochMillis()),
            key.org().id(),
            key.id(),
            code(record));
    boolean[] leavesRow = {false};
    counts.compute(bucket, (_, count) -> added(count, rowsMax, leavesRow));
    return leavesRow[0];
  }

  private @Nullable Count added(@Nullable Count before, int rowsMax, boolean[] leavesRow) {
    Count count = before == null ? begin() : before;
    if (count == null) {
      dropped.increment();
    } else if (count.rows < rowsMax) {
      count.rows++;
      leavesRow[0] = true;
    } else {
      count.pending++;
      counted.increment();
    }
    return count;
  }

  private @Nullable Count begin() {
    if (size.incrementAndGet() > countsMax) {
      size.decrementAndGet();
      return null;
    }
    return new Count(nanoTime.getAsLong());
  }

  private static boolean isRefusal(RequestRecord record) {
    boolean reachedProvider = record.served() != null && !record.served().attempts().isEmpty();
    return !reachedProvider && !isSuccess(record);
  }

  private static boolean isSuccess(RequestRecord record) {
    return switch (record.outcome()) {
      case OK, OK_ESTIMATED, REPLAYED -> true;
      case REJECTED,
          CLIENT_ABORT,
          CLIENT_STALLED,
          CLIENT_SLOW,
          PROVIDER_UNAVAILABLE,
          PROVIDER_TIMEOUT,
          PROVIDER_DISCONNECT,
          PROVIDER_ERROR,
          PROVIDER_REJECTED,
          PROVIDER_AUTH,
          PROVIDER_RATE_LIMITED,
          STREAM_INTERRUPTED,
          DEPENDENCY_DOWN,
          SHED,
          DRAINED,
          INTERNAL_ERROR ->
          false;
    };
  }

  private static boolean isActive(ApiKey key, long epochMillis) {
    Instant expiry = key.expiresAt();
    boolean isExpired = expiry != null && epochMillis >= expiry.toEpochMilli();
    return key.state() == KeyState.ACTIVE && !isExpired;
  }

  private static String code(RequestRecord record) {
    ErrorCode code = record.code();
    return code == null ? record.outcome().wire() : code.wire();
  }

  /** Takes what was counted since the last call, and forgets buckets that are over. */
  List<RefusalCount> take() {
    List<RefusalCount> taken = new ArrayList<>();
    long now = nanoTime.getAsLong();
    counts
        .keySet()
        .forEach(bucket -> counts.computeIfPresent(bucket, (_, c) -> take(bucket, c, now, taken)));
    return taken;
  }

  private @Nullable Count take(Bucket of, Count count, long now, List<RefusalCount> into) {
    if (count.pending > 0) {
      into.add(new RefusalCount(of.epochMinute, of.org, of.key, of.code, count.pending));
      count.pending = 0;
    } else if (now - count.begunNanos > KEPT_NANOS) {
      size.decrementAndGet();
      return null;
    }
    return count;
  }

  /** Adds counts again that were taken and could not be written. */
  void putBack(List<RefusalCount> unwritten) {
    for (RefusalCount each : unwritten) {
      var bucket = new Bucket(each.epochMinute(), each.org(), each.key(), each.code());
      counts.computeIfPresent(
          bucket,
          (_, count) -> {
            count.pending += each.refusals();
            return count;
          });
    }
  }

  /** Counts refusals that are lost, because their counts could not be written. */
  void drop(List<RefusalCount> unwritten) {
    unwritten.forEach(each -> dropped.add(each.refusals()));
  }

  int size() {
    return size.get();
  }

  /** Returns the number of refusals without a row that were counted. */
  long counted() {
    return counted.sum();
  }

  /** Returns the number of refusals with neither row nor count. */
  long dropped() {
    return dropped.sum();
  }
}
