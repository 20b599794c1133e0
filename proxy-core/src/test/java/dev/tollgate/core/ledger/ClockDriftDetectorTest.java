package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClockDriftDetectorTest {
  private final ClockDriftDetector watch = new ClockDriftDetector(5, 1_000_000);

  @Test
  void clocksThatGoAlikeDoNotPart() {
    assertThat(looked(20, 20)).isFalse();
    assertThat(looked(3_600_020, 3_600_020)).isFalse();
    assertThat(looked(3_600_040, 3_604_000)).as("slewed").isFalse();
  }

  @Test
  void aMachineThatWasSuspendedIsNoticedOnce() {
    assertThat(looked(20, 20)).isFalse();
    assertThat(looked(40, 1_200_040)).isTrue();
    assertThat(looked(60, 1_200_060)).isFalse();
  }

  @Test
  void aWallClockThatWasSetBackIsNoticedToo() {
    assertThat(looked(20, -6_000)).isTrue();
  }

  private boolean looked(long counted, long wall) {
    return watch.hasDrifted(5 + TimeUnit.MILLISECONDS.toNanos(counted), 1_000_000 + wall);
  }
}
