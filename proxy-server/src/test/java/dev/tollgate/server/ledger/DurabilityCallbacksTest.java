package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.pipeline.Transport;
import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DurabilityCallbacksTest {
  private final DurabilityCallbacks completions = new DurabilityCallbacks();

  @Test
  void theDelayIsThatOfTheQueueAndDurableChargesDoNotWaitForIt() throws Exception {
    List<String> order = new ArrayList<>();
    List<Long> late = new ArrayList<>();
    try (var group = new MultiThreadIoEventLoopGroup(1, Transport.auto().ioHandlers())) {
      EventLoop loop = group.next();
      var lineIsOver = new CountDownLatch(1);
      loop.submit(
              () -> {
                ClientPriorityIoHandler.executeQueued(() -> order.add("line"));
                completions.add(Runnable::run, () -> order.add("durable"));
                completions.run();
                late.add(completions.loopDelayNanos());
                ClientPriorityIoHandler.executeQueued(lineIsOver::countDown);
              })
          .sync();
      assertThat(lineIsOver.await(20, TimeUnit.SECONDS)).isTrue();
    }

    assertThat(order).containsExactly("durable", "line");
    assertThat(late).as("before the line moved").containsExactly(0L);
    assertThat(completions.loopDelayNanos()).isPositive();
  }
}
