package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class AdaptiveRequestLimitTest {
  private static final Duration BUSY = Duration.ofMillis(21);
  private static final Duration CALM = Duration.ofMillis(20);
  private static final Duration IDLE = Duration.ofNanos(4_999_999);

  private final AdaptiveRequestLimit limit =
      new AdaptiveRequestLimit(64, 10_000, Duration.ofMillis(20));

  @Test
  void aPauseDoesNotCountAsLoad() {
    for (int i = 0; i < 100; i++) {
      assertThat(limit.update(i % 4 == 3 ? CALM : BUSY, 1000)).isEqualTo(10_000);
    }
  }

  @Test
  void theLimitStartsAtTheBoundAndStaysWhileLoopsKeepUp() {
    for (int running = 0; running < 12_000; running += 100) {
      assertThat(limit.update(CALM, running)).isEqualTo(10_000);
    }
  }

  @Test
  void theLimitFallsFromTheRunningRequestsWhileLoopsAreBusy() {
    busyForAMoment();
    assertThat(limit.update(BUSY, 1000)).isEqualTo(900);
    assertThat(limit.update(BUSY, 1000)).as("the cut has not shown yet").isEqualTo(900);
    assertThat(limit.update(BUSY, 900)).isEqualTo(810);
    assertThat(limit.update(BUSY, 200)).isEqualTo(180);
  }

  @Test
  void theLimitNeverFallsBelowTheMinimum() {
    for (int i = 0; i < 100; i++) {
      limit.update(BUSY, 64);
    }
    assertThat(limit.update(BUSY, 64)).isEqualTo(64);
  }

  /** A young node: its loops are busy with JIT compilation, and soon after a provider hangs. */
  @Test
  void busyLoopsWithoutRequestsDoNotLowerTheLimit() {
    for (int i = 0; i < 100; i++) {
      assertThat(limit.update(BUSY, 20)).isEqualTo(10_000);
    }
    for (int running = 20; running < 2_000; running += 25) {
      assertThat(limit.update(CALM, running)).isEqualTo(10_000);
    }
  }

  @Test
  void loopsBusyBeforeTheRequestsCount() {
    for (int i = 0; i < 10; i++) {
      limit.update(BUSY, 20);
    }
    assertThat(limit.update(BUSY, 100)).isEqualTo(90);
  }

  @Test
  void theLimitGrowsWhileUsedUpToTheBound() {
    busyForAMoment();
    limit.update(BUSY, 1000);
    assertThat(limit.update(CALM, 800)).isEqualTo(946);
    for (int i = 0; i < 100; i++) {
      limit.update(CALM, 9_000);
    }
    assertThat(limit.update(CALM, 9_000)).isEqualTo(10_000);
  }

  /** Hanging requests arrive at a constant rate; a limit that grew slower would refuse some. */
  @Test
  void theLimitGrowsAtOnceForRequestsThatOnlyWait() {
    busyForAMoment();
    limit.update(BUSY, 100);
    assertThat(limit.update(IDLE, 100)).isEqualTo(136);
    assertThat(limit.update(IDLE, 125)).isEqualTo(205);
    assertThat(limit.update(IDLE, 100)).as("it is not used").isEqualTo(205);
    assertThat(limit.update(IDLE, 150)).isEqualTo(308);
  }

  @Test
  void anUnusedLimitDoesNotGrow() {
    busyForAMoment();
    limit.update(BUSY, 1000);
    for (int i = 0; i < 100; i++) {
      assertThat(limit.update(CALM, 100)).isEqualTo(900);
    }
  }

  @Test
  void anIdleNodeResetsTheLimit() {
    busyForAMoment();
    limit.update(BUSY, 1000);
    for (int i = 0; i < 19; i++) {
      assertThat(limit.update(CALM, 10)).isEqualTo(900);
    }
    assertThat(limit.update(CALM, 10)).isEqualTo(10_000);
  }

  @Test
  void aShortIdleTimeDoesNotResetTheLimit() {
    busyForAMoment();
    limit.update(BUSY, 1000);
    for (int i = 0; i < 100; i++) {
      assertThat(limit.update(CALM, i % 10 == 9 ? 64 : 10)).isEqualTo(900);
    }
  }

  @Test
  void aBoundBelowTheMinimumWins() {
    AdaptiveRequestLimit small = new AdaptiveRequestLimit(64, 8, CALM);
    for (int i = 0; i < 100; i++) {
      assertThat(small.update(BUSY, 8)).isEqualTo(8);
    }
  }

  private void busyForAMoment() {
    for (int i = 0; i < 3; i++) {
      assertThat(limit.update(BUSY, 1000)).isEqualTo(10_000);
    }
  }
}
