package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.ops.Health.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ShutdownTest {
  private static final Duration DELAY = Duration.ofSeconds(5);
  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final Duration A_MOMENT = Duration.ofMillis(1);

  private final ManualClock clock = new ManualClock();
  private final Health health = new Health();
  private final Traffic traffic = new Traffic();
  private final Shutdown shutdown = new Shutdown(clock.loop(), health, traffic, DELAY, TIMEOUT);

  @BeforeEach
  void serve() {
    health.transitionTo(State.READY);
  }

  @Test
  void theNodeIsUnreadyAndEndsConnectionsBeforeAnyThreadRuns() {
    shutdown.begin();

    assertThat(health.isReady()).isFalse();
    assertThat(traffic.calls).containsExactly("announce close");
  }

  @Test
  void theListenerStaysOpenUntilLoadBalancersHadTimeToNotice() {
    begin();
    assertThat(traffic.calls).containsExactly("announce close");

    clock.advance(DELAY.minus(A_MOMENT));
    assertThat(traffic.calls).containsExactly("announce close");

    clock.advance(A_MOMENT);
    assertThat(traffic.calls).containsExactly("announce close", "close listener");
    assertThat(drained()).isFalse();
  }

  @Test
  void theLastRequestToFinishEndsTheDrain() {
    begin();
    clock.advance(DELAY);
    clock.advance(Duration.ofSeconds(20));

    traffic.finish();
    clock.run();

    assertThat(drained()).isTrue();
    assertThat(traffic.calls).doesNotContain("cut short");
  }

  @Test
  void remainingRequestsAreEndedAtTheTimeoutAndAwaited() {
    begin();
    clock.advance(DELAY);
    clock.advance(TIMEOUT.minus(A_MOMENT));
    assertThat(traffic.calls).doesNotContain("cut short");

    clock.advance(A_MOMENT);
    assertThat(traffic.calls).endsWith("cut short");
    assertThat(drained()).isFalse();

    traffic.finish();
    clock.run();
    assertThat(drained()).isTrue();
  }

  @Test
  void aRequestThatNeverEndsDoesNotBlockTheExit() {
    begin();
    clock.advance(DELAY);
    clock.advance(TIMEOUT);

    clock.advance(Duration.ofSeconds(5));

    assertThat(drained()).isTrue();
  }

  @Test
  void aSecondStopEndsRequestsAtOnce() {
    begin();
    begin();
    assertThat(traffic.calls).containsExactly("announce close", "close listener", "cut short");

    begin();
    clock.advance(DELAY);
    assertThat(traffic.calls).hasSize(3);
  }

  @Test
  void anotherReasonToEndDoesNotHurryADrain() {
    shutdown.beginUnlessBegun();
    clock.run();
    shutdown.beginUnlessBegun();
    clock.run();
    assertThat(traffic.calls).containsExactly("announce close");

    clock.advance(DELAY);
    shutdown.beginUnlessBegun();
    clock.run();
    assertThat(traffic.calls).containsExactly("announce close", "close listener");
  }

  @Test
  void aSecondStopDuringTheDrainEndsRequestsOnce() {
    begin();
    clock.advance(DELAY);
    begin();
    clock.advance(TIMEOUT);

    assertThat(traffic.calls).containsExactly("announce close", "close listener", "cut short");
  }

  private void begin() {
    shutdown.begin();
    clock.run();
  }

  private boolean drained() {
    return shutdown.drained().toCompletableFuture().isDone();
  }

  /** Traffic that records the calls. */
  private static final class Traffic implements Shutdown.Traffic {
    private final List<String> calls = new ArrayList<>();
    private final CompletableFuture<Void> idle = new CompletableFuture<>();

    void finish() {
      idle.complete(null);
    }

    @Override
    public void announceClose() {
      calls.add("announce close");
    }

    @Override
    public void closeListener() {
      calls.add("close listener");
    }

    @Override
    public CompletionStage<?> idle() {
      return idle;
    }

    @Override
    public void cutShort() {
      calls.add("cut short");
    }

    @Override
    public int running() {
      return idle.isDone() ? 0 : 1;
    }
  }
}
