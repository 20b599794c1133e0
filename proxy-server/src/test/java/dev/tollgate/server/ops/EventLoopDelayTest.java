package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.pipeline.Transport;
import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class EventLoopDelayTest {
  private final ManualClock clock = new ManualClock();
  private final EventLoopDelay wait = new EventLoopDelay(List.of(clock.loop()), clock::nanoTime);

  @Test
  void theDelayIsTheMeanWaitOfTasks() {
    for (int millis : new int[] {10, 30, 50}) {
      wait.probe();
      clock.advance(Duration.ofMillis(millis));
    }

    assertThat(wait.sample()).isEqualTo(Duration.ofMillis(30));
    assertThat(wait.sample()).isZero();
  }

  @Test
  void aBlockedLoopCountsBeforeItRunsAgain() {
    wait.probe();
    clock.pass(Duration.ofSeconds(2));

    assertThat(wait.sample()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void atMostOneTaskWaitsOnALoop() {
    wait.probe();
    clock.pass(Duration.ofMillis(100));
    wait.probe();
    clock.run();
    clock.run();

    assertThat(wait.sample()).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void theWorstLoopCounts() {
    ManualClock other = new ManualClock();
    EventLoopDelay both = new EventLoopDelay(List.of(clock.loop(), other.loop()), clock::nanoTime);
    both.probe();
    other.run();
    clock.advance(Duration.ofMillis(40));

    assertThat(both.sample()).isEqualTo(Duration.ofMillis(40));
  }

  @Test
  void aQueuedTaskIsAwaited() throws Exception {
    try (var loops = new MultiThreadIoEventLoopGroup(1, Transport.auto().ioHandlers())) {
      var inLine = new EventLoopDelay(loops, clock::nanoTime);
      EventLoop loop = loops.next();
      loop.submit(
              () -> {
                ClientPriorityIoHandler.executeQueued(() -> clock.pass(Duration.ofMillis(30)));
                inLine.probe();
              })
          .sync();
      var behind = new CountDownLatch(1);
      loop.execute(() -> ClientPriorityIoHandler.executeQueued(behind::countDown));
      assertThat(behind.await(20, TimeUnit.SECONDS)).isTrue();

      assertThat(inLine.sample()).isEqualTo(Duration.ofMillis(30));
    }
  }
}
