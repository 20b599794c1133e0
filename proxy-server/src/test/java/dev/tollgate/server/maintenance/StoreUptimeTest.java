package dev.tollgate.server.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** No node counts as lost in the first minutes after an outage of the store or of this node. */
final class StoreUptimeTest {
  private long seconds = 1_000_000;
  private final StoreUptime answers = new StoreUptime(() -> Instant.ofEpochSecond(seconds));

  @Test
  void twoMinutesOfAnswersAreEnough() {
    assertThat(afterSeconds(0)).isFalse();
    assertThat(afterSeconds(60)).isFalse();
    assertThat(afterSeconds(59)).isFalse();
    assertThat(afterSeconds(1)).isTrue();
    assertThat(afterSeconds(60)).isTrue();
  }

  @Test
  void aMissingAnswerRestartsTheUptime() {
    afterSeconds(0);
    afterSeconds(60);
    answers.interrupted();
    assertThat(afterSeconds(60)).isFalse();
    assertThat(afterSeconds(60)).isFalse();
    assertThat(afterSeconds(60)).isTrue();
  }

  @Test
  void aSuspensionOrAClockThatGoesBackRestartsTheUptime() {
    afterSeconds(0);
    afterSeconds(60);
    assertThat(afterSeconds(60)).isTrue();
    assertThat(afterSeconds(3_600)).isFalse();
    assertThat(afterSeconds(60)).isFalse();
    assertThat(afterSeconds(60)).isTrue();
    assertThat(afterSeconds(-1)).isFalse();
  }

  private boolean afterSeconds(long passed) {
    seconds += passed;
    return answers.answeredLongEnough();
  }
}
