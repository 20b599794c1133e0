package dev.tollgate.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Seeds;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Percentiles of the last minute. */
class DigestTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final Digest digest = new Digest();
  private long now = 1_000_000 * Digest.WINDOW_NANOS;

  @Test
  void nothingIsKnownBeforeTheFirstSample() {
    assertThat(digest.percentile(0.5, now)).isEmpty();
  }

  @Test
  void aPercentileIsExactToAFifth() {
    Seeds.forEach(
        100,
        random -> {
          var one = new Digest();
          double[] samples = new double[1 + random.nextInt(500)];
          for (int i = 0; i < samples.length; i++) {
            samples[i] = 1 + Math.exp(random.nextDouble() * 14);
            one.add(samples[i], now);
          }
          Arrays.sort(samples);
          for (double share : new double[] {0.01, 0.5, 0.95, 1}) {
            int rank = Math.max(1, (int) Math.ceil(share * samples.length));
            double exact = samples[rank - 1];
            assertThat(one.percentile(share, now).orElseThrow())
                .isBetween(exact * 0.999, exact * 1.201);
          }
        });
  }

  @Test
  void whateverIsMeasuredItStaysWithinItsBounds() {
    for (double odd : new double[] {0, -1, 0.001, 1e300, Double.POSITIVE_INFINITY, Double.NaN}) {
      var one = new Digest();
      one.add(odd, now);
      assertThat(one.percentile(0.5, now).orElseThrow()).isBetween(1.0, 4e7);
    }
  }

  @Test
  void aSampleIsKeptForHalfAMinuteAndForgottenAfterAMinute() {
    for (int second = 0; second < 30; second++) {
      var one = new Digest();
      long at = now + second * SECOND;
      one.add(100, at);
      assertThat(one.percentile(0.5, at + 30 * SECOND)).isPresent();
      assertThat(one.percentile(0.5, at + 60 * SECOND)).isEmpty();
    }
  }

  @Test
  void newFiguresReplaceTheOld() {
    for (int i = 0; i < 1_000; i++) {
      digest.add(5_000, now);
    }
    for (int second = 0; second < 60; second++) {
      now += SECOND;
      digest.add(10, now);
    }
    assertThat(digest.percentile(0.99, now).orElseThrow()).isBetween(10.0, 12.0);
  }

  @Test
  void aLongPauseForgetsEverything() {
    for (long pause : new long[] {2, 3, 4, 5, 101}) {
      var one = new Digest();
      one.add(100, now);
      one.add(100, now + Digest.WINDOW_NANOS);
      assertThat(one.percentile(0.5, now + (1 + pause) * Digest.WINDOW_NANOS)).isEmpty();
    }
  }

  @Test
  void theTickerMayStandBelowZero() {
    long before = -5 * Digest.WINDOW_NANOS - 1;
    digest.add(100, before);
    assertThat(digest.percentile(0.5, before + 1)).isPresent();
    assertThat(digest.percentile(0.5, before + 60 * SECOND)).isEmpty();
  }
}
