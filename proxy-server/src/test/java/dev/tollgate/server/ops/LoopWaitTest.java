package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.pipeline.Transport;
import dev.tollgate.core.upstream.ClientsFirst;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class LoopWaitTest {
  private final ManualClock clock = new ManualClock();
  private final LoopWait wait = new LoopWait(List.of(clock.loop()), clock::nanoTime);

  @Test
  void itIsTheMeanOfWhatTasksWaited() {
    for (int millis : new int[] {10, 30, 50}) {
      wait.probe();
      clock.advance(Duration.ofMillis(millis));
    }

    assertThat(wait.look()).isEqualTo(Duration.ofMillis(30));
    assertThat(wait.look()).isZero();
  }

  @Test
  void aLoopThatStandsStillCountsBeforeItRunsAgain() {
    wait.probe();
    clock.pass(Duration.ofSeconds(2));

    assertThat(wait.look()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void atMostOneTaskWaitsOnALoop() {
    wait.probe();
    clock.pass(Duration.ofMillis(100));
    wait.probe();
    clock.run();
    clock.run();

    assertThat(wait.look()).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void theWorstLoopCounts() {
    ManualClock other = new ManualClock();
    LoopWait both = new LoopWait(List.of(clock.loop(), other.loop()), clock::nanoTime);
    both.probe();
    other.run();
    clock.advance(Duration.ofMillis(40));

    assertThat(both.look()).isEqualTo(Duration.ofMillis(40));
  }

  @Test
  void whoWaitsInALoopsLineIsWaitedFor() throws Exception {
    try (var loops = new MultiThreadIoEventLoopGroup(1, Transport.auto().ioHandlers())) {
      var inLine = new LoopWait(loops, clock::nanoTime);
      EventLoop loop = loops.next();
      loop.submit(
              () -> {
                ClientsFirst.inLine(() -> clock.pass(Duration.ofMillis(30)));
                inLine.probe();
              })
          .sync();
      var behind = new CountDownLatch(1);
      loop.execute(() -> ClientsFirst.inLine(behind::countDown));
      assertThat(behind.await(20, TimeUnit.SECONDS)).isTrue();

      assertThat(inLine.look()).isEqualTo(Duration.ofMillis(30));
    }
  }
}
