package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClockDriftDetectorTest {
  private final ClockDriftDetector detector = new ClockDriftDetector(5, 1_000_000);

  @Test
  void clocksThatAdvanceAlikeDoNotDrift() {
    assertThat(hasDrifted(20, 20)).isFalse();
    assertThat(hasDrifted(3_600_020, 3_600_020)).isFalse();
    assertThat(hasDrifted(3_600_040, 3_604_000)).as("slewed").isFalse();
  }

  @Test
  void aSuspendedMachineIsDetectedOnce() {
    assertThat(hasDrifted(20, 20)).isFalse();
    assertThat(hasDrifted(40, 1_200_040)).isTrue();
    assertThat(hasDrifted(60, 1_200_060)).isFalse();
  }

  @Test
  void aWallClockThatWasSetBackIsDetected() {
    assertThat(hasDrifted(20, -6_000)).isTrue();
  }

  private boolean hasDrifted(long counted, long wall) {
    return detector.hasDrifted(5 + TimeUnit.MILLISECONDS.toNanos(counted), 1_000_000 + wall);
  }
}
