package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RequestsLimitTest {
  private static final Duration BUSY = Duration.ofMillis(21);
  private static final Duration CALM = Duration.ofMillis(20);
  private static final Duration IDLE = Duration.ofNanos(4_999_999);

  private final RequestsLimit limit = new RequestsLimit(64, 10_000, Duration.ofMillis(20));

  @Test
  void aPauseIsNoLoad() {
    for (int i = 0; i < 100; i++) {
      assertThat(limit.look(i % 4 == 3 ? CALM : BUSY, 1000)).isEqualTo(10_000);
    }
  }

  @Test
  void itBeginsAtTheBoundAndStaysThereWhileLoopsKeepUp() {
    for (int running = 0; running < 12_000; running += 100) {
      assertThat(limit.look(CALM, running)).isEqualTo(10_000);
    }
  }

  @Test
  void whileLoopsKeepWorkWaitingItFallsFromWhatIsThere() {
    busyForAMoment();
    assertThat(limit.look(BUSY, 1000)).isEqualTo(900);
    assertThat(limit.look(BUSY, 1000)).as("the cut has not shown yet").isEqualTo(900);
    assertThat(limit.look(BUSY, 900)).isEqualTo(810);
    assertThat(limit.look(BUSY, 200)).isEqualTo(180);
  }

  @Test
  void itNeverFallsBelowWhatIsAlwaysServed() {
    for (int i = 0; i < 100; i++) {
      limit.look(BUSY, 64);
    }
    assertThat(limit.look(BUSY, 64)).isEqualTo(64);
  }

  /** A young node: its loops become warm, and soon after a provider answers nobody. */
  @Test
  void loopsThatAreBusyWithoutRequestsTurnNobodyAway() {
    for (int i = 0; i < 100; i++) {
      assertThat(limit.look(BUSY, 20)).isEqualTo(10_000);
    }
    for (int running = 20; running < 2_000; running += 25) {
      assertThat(limit.look(CALM, running)).isEqualTo(10_000);
    }
  }

  @Test
  void loopsThatAreBusyAlreadyAreCountedWhenRequestsCome() {
    for (int i = 0; i < 10; i++) {
      limit.look(BUSY, 20);
    }
    assertThat(limit.look(BUSY, 100)).isEqualTo(90);
  }

  @Test
  void itGrowsWhileItIsUsedAndNotBeyondTheBound() {
    busyForAMoment();
    limit.look(BUSY, 1000);
    assertThat(limit.look(CALM, 800)).isEqualTo(946);
    for (int i = 0; i < 100; i++) {
      limit.look(CALM, 9_000);
    }
    assertThat(limit.look(CALM, 9_000)).isEqualTo(10_000);
  }

  /**
   * Requests that hang come at their rate; a room that grew slower would turn some of them away.
   */
  @Test
  void itMakesRoomAtOnceForWhatOnlyWaits() {
    busyForAMoment();
    limit.look(BUSY, 100);
    assertThat(limit.look(IDLE, 100)).isEqualTo(136);
    assertThat(limit.look(IDLE, 125)).isEqualTo(205);
    assertThat(limit.look(IDLE, 100)).as("it is not used").isEqualTo(205);
    assertThat(limit.look(IDLE, 150)).isEqualTo(308);
  }

  @Test
  void itDoesNotGrowForNothing() {
    busyForAMoment();
    limit.look(BUSY, 1000);
    for (int i = 0; i < 100; i++) {
      assertThat(limit.look(CALM, 100)).isEqualTo(900);
    }
  }

  @Test
  void aNodeThatWentQuietBeginsAnew() {
    busyForAMoment();
    limit.look(BUSY, 1000);
    for (int i = 0; i < 19; i++) {
      assertThat(limit.look(CALM, 10)).isEqualTo(900);
    }
    assertThat(limit.look(CALM, 10)).isEqualTo(10_000);
  }

  @Test
  void aMomentWithLittleToDoIsNoReasonToForget() {
    busyForAMoment();
    limit.look(BUSY, 1000);
    for (int i = 0; i < 100; i++) {
      assertThat(limit.look(CALM, i % 10 == 9 ? 64 : 10)).isEqualTo(900);
    }
  }

  @Test
  void aBoundBelowTheLeastIsTheBound() {
    RequestsLimit small = new RequestsLimit(64, 8, CALM);
    for (int i = 0; i < 100; i++) {
      assertThat(small.look(BUSY, 8)).isEqualTo(8);
    }
  }

  private void busyForAMoment() {
    for (int i = 0; i < 3; i++) {
      assertThat(limit.look(BUSY, 1000)).isEqualTo(10_000);
    }
  }
}
