package dev.tollgate.server.ops;

import static dev.tollgate.server.ops.Health.State.DRAINING;
import static dev.tollgate.server.ops.Health.State.READY;
import static dev.tollgate.server.ops.Health.State.STARTING;
import static dev.tollgate.server.ops.Health.State.STOPPED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.ops.Health.Transition;
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
    assertThat(health.transitionTo(READY)).isEqualTo(new Transition.Made());
    assertThat(health.isReady()).isTrue();
    assertThat(health.transitionTo(DRAINING)).isEqualTo(new Transition.Made());
    assertThat(health.isReady()).isFalse();
    assertThat(health.transitionTo(STOPPED)).isEqualTo(new Transition.Made());
  }

  @Test
  void aFailedReadinessCheckIsReported() {
    AtomicReference<Optional<String>> obstacle = new AtomicReference<>(Optional.of("no room"));
    health.addReadinessCheck(obstacle::get);
    assertThat(health.statusText()).isEqualTo("starting");
    health.transitionTo(READY);
    assertThat(health.isReady()).isFalse();
    assertThat(health.statusText()).isEqualTo("no room");
    obstacle.set(Optional.empty());
    assertThat(health.isReady()).isTrue();
    assertThat(health.statusText()).isEqualTo("ready");
    health.addReadinessCheck(() -> Optional.of("too old"));
    assertThat(health.isReady()).isFalse();
    assertThat(health.statusText()).isEqualTo("too old");
  }

  @Test
  void aDrainAskedForWhileStartingStaysADrain() {
    health.transitionTo(DRAINING);

    assertThat(health.transitionTo(READY)).isEqualTo(new Transition.Illegal(DRAINING));
    assertThat(health.isReady()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void noStateIsEnteredTwiceAndNoneComesBeforeStarting(Health.State state) {
    health.transitionTo(state);

    assertThat(health.transitionTo(state)).isEqualTo(new Transition.Illegal(state));
    assertThat(health.transitionTo(STARTING)).isEqualTo(new Transition.Illegal(state));
  }
}
