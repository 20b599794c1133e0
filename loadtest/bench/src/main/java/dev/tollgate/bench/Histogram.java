package dev.tollgate.bench;

/**
 * Counts durations in buckets that are at most 1/128 of their value wide, in an array that never
 * grows. What is longer than 73 minutes counts as that. Confined to one thread.
 */
public final class Histogram {
  static final long NANOS_MAX = (1L << 42) - 1;

  private static final int SUB_BITS = 7;
  private static final int SUB_BUCKETS = 1 << SUB_BITS;

  private final long[] counts = new long[bucket(NANOS_MAX) + 1];
  private long count;
  private long maxNanos;

  void record(long nanos) {
    long value = Math.clamp(nanos, 0, NANOS_MAX);
    counts[bucket(value)]++;
    count++;
    maxNanos = Math.max(maxNanos, value);
  }

  public long count() {
    return count;
  }

  public long maxNanos() {
    return maxNanos;
  }

  /** Adds all that another one counted. */
  void add(Histogram other) {
    for (int bucket = 0; bucket < counts.length; bucket++) {
      counts[bucket] += other.counts[bucket];
    }
    count += other.count;
    maxNanos = Math.max(maxNanos, other.maxNanos);
  }

  /**
   * The smallest duration that at least this share of what was recorded does not exceed, rounded up
   * to the end of its bucket; 0 where nothing was recorded.
   */
  public long quantileNanos(double share) {
    long rank = Math.max(1, (long) Math.ceil(share * count));
    long seen = 0;
    for (int bucket = 0; bucket < counts.length; bucket++) {
      seen += counts[bucket];
      if (seen >= rank) {
        return Math.min(highestIn(bucket), maxNanos);
      }
    }
    return 0;
  }

  /** Below 256 each nanosecond has its bucket; above, each power of two has 128. */
  private static int bucket(long nanos) {
    int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(nanos) - SUB_BITS - 1);
    return (shift << SUB_BITS) + (int) (nanos >>> shift);
  }

  private static long highestIn(int bucket) {
    if (bucket < 2 * SUB_BUCKETS) {
      return bucket;
    }
    int shift = (bucket >>> SUB_BITS) - 1;
    long sub = bucket - ((long) shift << SUB_BITS);
    return ((sub + 1) << shift) - 1;
  }
}
