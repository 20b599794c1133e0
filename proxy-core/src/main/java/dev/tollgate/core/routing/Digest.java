package dev.tollgate.core.routing;

import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Histogram of the samples of the last minute, for percentiles of latency and throughput. It counts
 * two half minutes in buckets whose bounds grow by a fifth. Older samples are dropped, so that a
 * provider without requests becomes unknown again and is explored anew. Shared by all loops: atomic
 * counts; a sample recorded at the moment a half minute ends may be lost, which no percentile
 * shows.
 */
final class Digest {
  static final long WINDOW_NANOS = 30_000_000_000L;

  private static final int BUCKETS = 96;
  private static final double GROWTH = 1.2;
  private static final double LOG_GROWTH = Math.log(GROWTH);

  private final AtomicIntegerArray counts = new AtomicIntegerArray(2 * BUCKETS);
  private final AtomicLong window = new AtomicLong(Long.MIN_VALUE);

  /** Adds a sample above zero, in any unit; values of 1 to 30 million are distinguished. */
  void add(double sample, long nowNanos) {
    long current = rotate(nowNanos);
    counts.incrementAndGet(base(current) + bucket(sample));
  }

  private static int bucket(double sample) {
    return sample <= 1 ? 0 : (int) Math.min(BUCKETS - 1, Math.ceil(Math.log(sample) / LOG_GROWTH));
  }

  private static int base(long window) {
    return (window & 1) == 0 ? 0 : BUCKETS;
  }

  /** Drops samples older than the previous half minute. */
  private long rotate(long nowNanos) {
    long current = Math.floorDiv(nowNanos, WINDOW_NANOS);
    long last = window.get();
    if (current > last && window.compareAndSet(last, current)) {
      clear(base(current));
      if (current - 1 != last) {
        clear(base(current - 1));
      }
    }
    return current;
  }

  private void clear(int base) {
    for (int i = 0; i < BUCKETS; i++) {
      counts.set(base + i, 0);
    }
  }

  /** Returns the value that a share of the samples does not exceed; empty if there are none. */
  OptionalDouble percentile(double share, long nowNanos) {
    rotate(nowNanos);
    int total = 0;
    for (int i = 0; i < 2 * BUCKETS; i++) {
      total += counts.get(i);
    }
    if (total == 0) {
      return OptionalDouble.empty();
    }
    int wanted = Math.max(1, (int) Math.ceil(share * total));
    int seen = 0;
    for (int i = 0; i < BUCKETS; i++) {
      seen += counts.get(i) + counts.get(BUCKETS + i);
      if (seen >= wanted) {
        return OptionalDouble.of(Math.pow(GROWTH, i));
      }
    }
    return OptionalDouble.of(Math.pow(GROWTH, BUCKETS - 1));
  }
}
