package dev.tollgate.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Provider.PoolLimits;
import dev.tollgate.core.testkit.PullChannel;
import dev.tollgate.core.testkit.TestCatalog;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Loops that compete for few connections: no waiter is forgotten. */
class PoolRaceTest {
  private static final int LOOPS = 4;
  private static final int WISHES_PER_LOOP = 500;

  @Test
  void everyPlaceThatBecomesFreeFindsItsWaiter() throws Exception {
    Provider provider =
        TestCatalog.with(
            TestCatalog.withClocks(
                "alpha",
                c ->
                    new Provider.ProviderTimeouts(
                        Duration.ofSeconds(30),
                        c.responseHeader(),
                        c.firstToken(),
                        c.idle(),
                        c.total())),
            new PoolLimits(3, LOOPS * WISHES_PER_LOOP, Duration.ofSeconds(30)));
    AtomicInteger open = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Upstreams upstreams =
        new Upstreams((loop, endpoint, timeout, progress) -> connect(loop, open, most));
    CountDownLatch served = new CountDownLatch(LOOPS * WISHES_PER_LOOP);
    try (var group = new MultiThreadIoEventLoopGroup(LOOPS, NioIoHandler.newFactory())) {
      for (int n = 0; n < LOOPS; n++) {
        EventLoop loop = group.next();
        for (int w = 0; w < WISHES_PER_LOOP; w++) {
          loop.execute(
              () -> upstreams.on(loop).acquire(provider, false, done -> end(loop, done, served)));
        }
      }
      assertThat(served.await(20, TimeUnit.SECONDS)).as("left: %s", served).isTrue();
      upstreams.close();
    }
    assertThat(most.get()).as("the cap").isLessThanOrEqualTo(3);
    assertThat(upstreams.gauges()).allMatch(g -> g.leased() == 0 && g.pending() == 0);
  }

  private static Future<Channel> connect(EventLoop loop, AtomicInteger open, AtomicInteger most) {
    PullChannel channel = PullChannel.open();
    most.accumulateAndGet(open.incrementAndGet(), Math::max);
    channel.closeFuture().addListener(closed -> open.decrementAndGet());
    return loop.newSucceededFuture(channel);
  }

  private static void end(EventLoop loop, AcquisitionResult done, CountDownLatch served) {
    if (done instanceof AcquisitionResult.Leased leased) {
      loop.execute(
          () -> {
            leased.lease().end();
            served.countDown();
          });
    }
  }
}
