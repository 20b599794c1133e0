package dev.tollgate.server.ops;

import static dev.tollgate.server.ops.Health.State.DRAINING;
import static dev.tollgate.server.ops.Health.State.READY;
import static dev.tollgate.server.ops.Health.State.STARTING;
import static dev.tollgate.server.ops.Health.State.STOPPED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.ops.Health.Change;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class HealthTest {
  private final Health health = new Health();

  @Test
  void aNodeIsReadyBetweenStartAndDrainOnly() {
    assertThat(health.isReady()).isFalse();
    assertThat(health.become(READY)).isEqualTo(new Change.Made());
    assertThat(health.isReady()).isTrue();
    assertThat(health.become(DRAINING)).isEqualTo(new Change.Made());
    assertThat(health.isReady()).isFalse();
    assertThat(health.become(STOPPED)).isEqualTo(new Change.Made());
  }

  @Test
  void whatIsInTheWayOfANodeThatRunsIsTold() {
    AtomicReference<Optional<String>> obstacle = new AtomicReference<>(Optional.of("no room"));
    health.heed(obstacle::get);
    assertThat(health.told()).isEqualTo("starting");
    health.become(READY);
    assertThat(health.isReady()).isFalse();
    assertThat(health.told()).isEqualTo("no room");
    obstacle.set(Optional.empty());
    assertThat(health.isReady()).isTrue();
    assertThat(health.told()).isEqualTo("ready");
    health.heed(() -> Optional.of("too old"));
    assertThat(health.isReady()).isFalse();
    assertThat(health.told()).isEqualTo("too old");
  }

  @Test
  void aDrainAskedForWhileStartingStaysADrain() {
    health.become(DRAINING);

    assertThat(health.become(READY)).isEqualTo(new Change.Illegal(DRAINING));
    assertThat(health.isReady()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void noStateIsEnteredTwiceAndNoneComesBeforeStarting(Health.State state) {
    health.become(state);

    assertThat(health.become(state)).isEqualTo(new Change.Illegal(state));
    assertThat(health.become(STARTING)).isEqualTo(new Change.Illegal(state));
  }
}
