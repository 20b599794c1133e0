package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class HysteresisTest {
  private final Hysteresis signal = new Hysteresis();

  @Test
  void theLevelRisesAtOnce() {
    assertThat(signal.update(0.69)).isEqualTo(LoadLevel.CALM);
    assertThat(signal.update(0.96)).isEqualTo(LoadLevel.INTERACTIVE);
    assertThat(signal.update(0.99)).isEqualTo(LoadLevel.CONNECTIONS);
  }

  @Test
  void theLevelStaysAtASlightlyLowerPressure() {
    signal.update(0.95);
    for (int i = 0; i < 100; i++) {
      assertThat(signal.update(0.905)).isEqualTo(LoadLevel.INTERACTIVE);
    }
  }

  @Test
  void theLevelFallsAfterASecondOfClearlyLessPressure() {
    signal.update(0.95);
    for (int i = 0; i < 3; i++) {
      assertThat(signal.update(0.5)).isEqualTo(LoadLevel.INTERACTIVE);
    }
    assertThat(signal.update(0.5)).isEqualTo(LoadLevel.CALM);
  }

  @Test
  void aPeakWithinThatSecondRestartsIt() {
    signal.update(0.95);
    for (int i = 0; i < 30; i++) {
      assertThat(signal.update(i % 3 == 0 ? 0.95 : 0.1)).isEqualTo(LoadLevel.INTERACTIVE);
    }
  }
}
