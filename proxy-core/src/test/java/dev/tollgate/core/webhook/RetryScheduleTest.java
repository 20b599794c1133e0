package dev.tollgate.core.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.testkit.Seeds;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Delays between the attempts of a delivery. */
class RetryScheduleTest {
  private static final RetrySchedule USUAL =
      new RetrySchedule(
          List.of(
              Duration.ZERO,
              Duration.ofSeconds(5),
              Duration.ofSeconds(30),
              Duration.ofMinutes(2),
              Duration.ofMinutes(10),
              Duration.ofMinutes(30),
              Duration.ofHours(2),
              Duration.ofHours(5)));

  /** Returns a generator that always draws the same number. */
  private static RandomGenerator always(double drawn) {
    return new RandomGenerator() {
      @Override
      public long nextLong() {
        throw new AssertionError("only fractions are drawn");
      }

      @Override
      public double nextDouble() {
        return drawn;
      }
    };
  }

  private static Optional<Duration> after(int attempt, double drawn) {
    return USUAL.delayAfter(attempt, Duration.ZERO, always(drawn));
  }

  @Test
  void eachWaitIsSpreadByAFifth() {
    assertThat(USUAL.firstDelay()).isZero();
    assertThat(after(1, 0)).contains(Duration.ofSeconds(4));
    assertThat(after(1, 0.5)).contains(Duration.ofSeconds(5));
    assertThat(after(1, 1)).contains(Duration.ofSeconds(6));
    assertThat(after(3, 0)).contains(Duration.ofSeconds(96));
    assertThat(after(7, 1)).contains(Duration.ofHours(6));
  }

  @Test
  void noDrawLeavesTheSpread() {
    Seeds.forEach(
        50,
        random -> {
          for (int attempt = 1; attempt < 8; attempt++) {
            Duration wait = USUAL.delayAfter(attempt, Duration.ZERO, random).orElseThrow();
            long middle = USUAL.delays().get(attempt).toMillis();
            assertThat(wait.toMillis()).isBetween(middle * 8 / 10, middle * 12 / 10);
          }
        });
  }

  @Test
  void behindTheLastAttemptNothingFollows() {
    assertThat(after(7, 0.5)).isPresent();
    assertThat(after(8, 0.5)).isEmpty();
    assertThat(after(9, 0.5)).isEmpty();
    var once = new RetrySchedule(List.of(Duration.ofSeconds(3)));
    assertThat(once.firstDelay()).isEqualTo(Duration.ofSeconds(3));
    assertThat(once.delayAfter(1, Duration.ofHours(1), always(0))).isEmpty();
  }

  @Test
  void aReceiverMayAskForMoreTimeButNotForLess() {
    assertThat(USUAL.delayAfter(1, Duration.ofSeconds(1), always(0.5)))
        .contains(Duration.ofSeconds(5));
    assertThat(USUAL.delayAfter(1, Duration.ofSeconds(90), always(0)))
        .contains(Duration.ofSeconds(90));
    assertThat(USUAL.delayAfter(1, Duration.ofDays(9), always(0))).contains(Duration.ofHours(1));
    assertThat(USUAL.delayAfter(7, Duration.ofDays(9), always(0.5))).contains(Duration.ofHours(5));
  }

  @Test
  void thereIsAtLeastOneAttempt() {
    assertThatThrownBy(() -> new RetrySchedule(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
