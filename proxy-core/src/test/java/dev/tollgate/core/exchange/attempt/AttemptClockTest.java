package dev.tollgate.core.exchange.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.testkit.ManualPriorityLoop;
import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A loop that stood still beyond a deadline, and what arrived meanwhile. */
class AttemptClockTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final MockTicker ticker = Ticker.newMockTicker();
  private final EmbeddedChannel loop = EmbeddedChannel.builder().ticker(ticker).build();
  private final ManualPriorityLoop priorityLoop = new ManualPriorityLoop();
  private final List<String> seen = new ArrayList<>();

  @AfterEach
  void close() {
    priorityLoop.close();
    var _ = loop.finishAndReleaseAll();
  }

  @Test
  void whatArrivedIsReadBeforeTheDeadlineIsLookedAt() {
    AttemptClock clock = clock(AttemptClock.NEVER);
    clock.runFor(SECOND);
    ClientPriorityIoHandler.executeQueued(
        () -> {
          seen.add("read");
          clock.runFor(SECOND);
        });
    pass(5);
    priorityLoop.runAll();
    assertThat(seen).containsExactly("read");

    pass(1);
    priorityLoop.runAll();
    assertThat(seen).containsExactly("read", "expired");
  }

  @Test
  void theDeadlineOfWhoEndedMeanwhileIsNone() {
    AttemptClock clock = clock(ticker.nanoTime() + SECOND.toNanos());
    clock.start();
    ClientPriorityIoHandler.executeQueued(clock::close);
    pass(5);
    priorityLoop.runAll();
    assertThat(seen).isEmpty();
  }

  @Test
  void whatArrivedForAnotherChangesNothing() {
    clock(AttemptClock.NEVER).runFor(SECOND);
    ClientPriorityIoHandler.executeQueued(() -> seen.add("of another"));
    pass(5);
    priorityLoop.runAll();
    assertThat(seen).containsExactly("of another", "expired");
  }

  private AttemptClock clock(long totalDeadline) {
    return new AttemptClock(requestLoop(), totalDeadline, () -> seen.add("expired"));
  }

  private void pass(int seconds) {
    ticker.advance(SECOND.multipliedBy(seconds).toNanos(), TimeUnit.NANOSECONDS);
    loop.runScheduledPendingTasks();
  }

  private RequestLoop requestLoop() {
    return new RequestLoop(
        loop.eventLoop(),
        unexpected -> {
          throw unexpected;
        });
  }
}
