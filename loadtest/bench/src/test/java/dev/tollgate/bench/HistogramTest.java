package dev.tollgate.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The histogram's quantiles beside the exact ones of the same durations. */
class HistogramTest {
  private static final double[] SHARES = {0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1};

  @Test
  void quantilesAreExactToTheWidthOfABucket() {
    Random random = new Random(7);
    for (int sizes = 1; sizes <= 100_000; sizes *= 10) {
      long[] nanos = new long[sizes];
      Histogram histogram = new Histogram();
      for (int i = 0; i < sizes; i++) {
        nanos[i] = (long) Math.exp(random.nextDouble() * Math.log(1e11));
        histogram.record(nanos[i]);
      }
      requireQuantiles(histogram, nanos);
    }
  }

  @Test
  void everyPowerOfTwoAndItsNeighboursAreInTheRightBucket() {
    for (int bits = 0; bits < 42; bits++) {
      for (long nanos = (1L << bits) - 1; nanos <= (1L << bits) + 1; nanos++) {
        Histogram histogram = new Histogram();
        histogram.record(nanos);
        histogram.record(Histogram.NANOS_MAX);
        assertThat(histogram.quantileNanos(0.5)).isBetween(nanos, nanos + Math.max(0, nanos / 128));
      }
    }
  }

  @Test
  void whatIsOutsideOfTheRangeCountsAsItsEnd() {
    Histogram histogram = new Histogram();
    histogram.record(-5);
    histogram.record(Long.MAX_VALUE);
    assertThat(histogram.count()).isEqualTo(2);
    assertThat(histogram.quantileNanos(0.5)).isZero();
    assertThat(histogram.quantileNanos(1)).isEqualTo(Histogram.NANOS_MAX);
  }

  @Test
  void anEmptyOneHasNoQuantiles() {
    Quantiles none = Quantiles.of(new Histogram());
    assertThat(none.isEmpty()).isTrue();
    assertThat(none.p999Nanos()).isZero();
  }

  private static void requireQuantiles(Histogram histogram, long[] nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    for (double share : SHARES) {
      int rank = (int) Math.max(1, Math.ceil(share * sorted.length));
      double exact = sorted[rank - 1];
      assertThat((double) histogram.quantileNanos(share))
          .as("%s of %s", share, sorted.length)
          .isGreaterThanOrEqualTo(exact)
          .isCloseTo(exact, within(exact / 128 + 1));
    }
    assertThat(histogram.maxNanos()).isEqualTo(sorted[sorted.length - 1]);
  }
}
