package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import io.netty.util.concurrent.DefaultEventExecutor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Releases that wait for Redis. */
class ReleaseQueueTest {
  @Test
  void waitingReleasesAreBoundedAndDroppedOnesCounted() {
    var clock = new DefaultEventExecutor();
    try (var client = new RedisConnector(RedisAddress.parse(new Secret("redis://127.0.0.1:1")))) {
      var figures = new FailureCounts();
      var held = new ActivePermits();
      var circuit =
          new RedisCircuit(client, clock, Duration.ofSeconds(1), held, figures, "no fallback");
      for (int n = 0; n < ReleaseQueue.WAITING_MAX; n++) {
        circuit.releases().release(new PermitRelease.Used(AcquireCalls.slot("k", 1), 0));
      }
      assertThat(figures.failures(RedisFailure.END_DROPPED)).isZero();

      circuit.releases().release(new PermitRelease.Used(AcquireCalls.slot("k", 1), 0));
      assertThat(figures.failures(RedisFailure.END_DROPPED)).isOne();
    } finally {
      var _ = clock.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }
}
