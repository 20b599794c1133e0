package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.catalog.Secret;
import io.netty.util.concurrent.DefaultEventExecutor;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A Redis Cluster is not used, however late it says that it is one. */
class RedisClusterIT {
  private static final Duration TIMEOUT = Duration.ofMillis(250);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final RedisProcess cluster = RedisProcess.start("--cluster-enabled", "yes");
  private final FailureCounts observer = new FailureCounts();

  @AfterEach
  void end() {
    cluster.close();
  }

  @Test
  void aClusterIsRefused() {
    var address = RedisAddress.parse(new Secret(cluster.url()));
    assertThatThrownBy(
            () -> {
              try (var node = Redis.open(address, TIMEOUT, Optional.empty(), observer, PATIENCE)) {
                assertThat(node.isUp()).as("uses a cluster").isFalse();
              }
            })
        .isInstanceOf(Redis.ClusterException.class)
        .hasMessageContaining("is a Redis Cluster");
  }

  @Test
  void aLateAnswerIsNotTakenForANo() throws Exception {
    var clock = new DefaultEventExecutor();
    var permits = new ActivePermits();
    try (var relay = new SlowRelay(cluster);
        var client = new RedisConnector(RedisAddress.parse(new Secret(relay.url())))) {
      relay.delayFrom("cluster", TIMEOUT.multipliedBy(5));
      var circuit = new RedisCircuit(client, clock, TIMEOUT, permits, observer, "no fallback");
      CompletableFuture<RedisCircuit.ConnectResult> first = circuit.start();
      awaitDown(circuit, "Redis does not answer in time");
      assertThat(first).as("nothing is known yet").isNotDone();

      relay.delayFrom("never", Duration.ZERO);
      relay.delay(Duration.ZERO);

      assertThat(first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .isEqualTo(new RedisCircuit.ConnectResult.Cluster());
      awaitDown(circuit, "Redis Cluster is not supported");
      circuit.close();
    } finally {
      var _ = clock.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  private static void awaitDown(RedisCircuit circuit, String reason) {
    var expected = new ConnectionState.Down(reason);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!circuit.connectionState().equals(expected)) {
      assertThat(System.nanoTime() - deadline).as("%s", circuit.connectionState()).isNegative();
    }
  }
}
