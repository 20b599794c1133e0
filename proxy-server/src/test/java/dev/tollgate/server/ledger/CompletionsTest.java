package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.pipeline.Transport;
import dev.tollgate.core.upstream.ClientsFirst;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CompletionsTest {
  private final Completions completions = new Completions();

  @Test
  void aLoopIsAsLateAsItsLineAndNobodyWhoseChargeIsDurableWaitsForThat() throws Exception {
    List<String> order = new ArrayList<>();
    List<Long> late = new ArrayList<>();
    try (var group = new MultiThreadIoEventLoopGroup(1, Transport.auto().ioHandlers())) {
      EventLoop loop = group.next();
      var lineIsOver = new CountDownLatch(1);
      loop.submit(
              () -> {
                ClientsFirst.inLine(() -> order.add("line"));
                completions.add(Runnable::run, () -> order.add("durable"));
                completions.run();
                late.add(completions.loopNanos());
                ClientsFirst.inLine(lineIsOver::countDown);
              })
          .sync();
      assertThat(lineIsOver.await(20, TimeUnit.SECONDS)).isTrue();
    }

    assertThat(order).containsExactly("durable", "line");
    assertThat(late).as("before the line moved").containsExactly(0L);
    assertThat(completions.loopNanos()).isPositive();
  }
}
