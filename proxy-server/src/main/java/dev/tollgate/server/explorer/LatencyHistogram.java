package dev.tollgate.server.explorer;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Counts of durations in {@value #BUCKETS} buckets, each of which ends at the square root of 2
 * times its begin. Confined to one thread.
 */
final class LatencyHistogram {
  static final int BUCKETS = 40;

  /** Begin of the first bucket of total and first-token times, in milliseconds. */
  static final int FIRST_MS = 1;

  /** Begin of the first bucket of the gateway's overhead, in microseconds. */
  static final int FIRST_OVERHEAD_US = 10;

  private final int first;
  private int @Nullable [] counts;

  /**
   * @param first begin of the first bucket; what is shorter counts in that one
   */
  LatencyHistogram(int first) {
    this.first = first;
  }

  void add(@Nullable Integer duration) {
    if (duration == null) {
      return;
    }
    int[] its = counts;
    if (its == null) {
      its = new int[BUCKETS];
      counts = its;
    }
    its[bucket(duration / (double) first)]++;
  }

  private static int bucket(double ratio) {
    if (ratio <= 1) {
      return 0;
    }
    return (int) Math.min(BUCKETS - 1, 2 * Math.log(ratio) / Math.log(2));
  }

  /**
   * Returns the duration that a share of the counted ones did not exceed, taken as spread evenly
   * within a bucket; null if none were counted.
   */
  static @Nullable Double percentile(long[] counts, double share, int first) {
    double wanted = share * Arrays.stream(counts).sum();
    double before = 0;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0 && before + counts[i] >= wanted) {
        double begin = i == 0 ? 0 : first * Math.pow(2, i / 2.0);
        double end = first * Math.pow(2, (i + 1) / 2.0);
        return begin + (end - begin) * (wanted - before) / counts[i];
      }
      before += counts[i];
    }
    return null;
  }

  /** Returns the counts as an array literal of SQL, empty if there is none. */
  String sql() {
    int[] its = counts;
    return its == null
        ? "{}"
        : Arrays.stream(its).mapToObj(Integer::toString).collect(Collectors.joining(",", "{", "}"));
  }
}
