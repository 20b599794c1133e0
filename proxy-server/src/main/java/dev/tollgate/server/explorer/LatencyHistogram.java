package dev.tollgate.server.explorer;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Histogram of durations as the sums hold it: counts in {@value #BUCKETS} buckets, each of which
 * ends at the square root of 2 times its begin. What is shorter than the first counts in it, what
 * is longer than the last in that.
 */
final class LatencyHistogram {
  static final int BUCKETS = 40;

  /** Begin of the first bucket of total and first-token times, in milliseconds. */
  static final int FIRST_MS = 1;

  private LatencyHistogram() {}

  /**
   * Returns the duration that a share of the counted ones did not exceed, taken as spread evenly
   * within a bucket; null if none were counted.
   *
   * @param first begin of the first bucket
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
}
