package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.limit.AcquireResult.AllAcquired;
import dev.tollgate.core.limit.AcquireResult.Refused;
import dev.tollgate.core.limit.AcquireResult.Unavailable;
import dev.tollgate.core.limit.Counters;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Faults of Redis: it is slow (D05), loads, is flushed under load, or fails over to its replica.
 */
@Tag("chaos")
@Isolated
class RedisFaultsIT {
  private static final Duration TIMEOUT = Duration.ofMillis(50);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final RedisProcess process = RedisProcess.start();
  private final RedisClient client = RedisClient.create(process.url());
  private final RedisCommands<String, String> commands = client.connect().sync();
  private final FailureCounts observer = new FailureCounts();
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void end() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
    client.shutdown();
    process.close();
  }

  private Redis node(String url, Duration timeout) throws Exception {
    Redis node =
        Redis.open(RedisAddress.parse(new Secret(url)), timeout, Optional.empty(), observer);
    open.add(node);
    return node;
  }

  @Test
  void aSlowRedisTimesOutAndEverythingIsReturned() throws Exception {
    for (Duration late : List.of(TIMEOUT.multipliedBy(5), Duration.ofSeconds(10))) {
      var relay = new SlowRelay(process);
      open.add(relay);
      Redis node = node(relay.url(), TIMEOUT);
      Counters counters = node.counters();
      await("the first answer", () -> take(counters, "warm") instanceof AllAcquired);
      String key = "late by " + late;
      relay.delay(late);
      for (int n = 0; n < 20; n++) {
        assertThat(take(counters, key)).isInstanceOf(Unavailable.class);
      }
      assertThat(node.isUp()).as("after three failures in a row Redis is not called").isFalse();

      relay.delay(Duration.ZERO);
      await("an answer in time", () -> take(counters, key) instanceof AllAcquired);
      await("what was asked in vain holds no slot", () -> slotsOf(key) == 1);
    }
  }

  @Test
  void aRefusingRedisIsProbedUntilItAnswers() throws Exception {
    Redis node = node(process.url(), Duration.ofSeconds(2));
    Counters counters = node.counters();
    await("the first answer", () -> take(counters, "k") instanceof AllAcquired);

    // A replica without its master answers MASTERDOWN, as a loading one answers LOADING: an error
    // at once.
    commands.configSet("replica-serve-stale-data", "no");
    commands.replicaof("127.0.0.1", 1);
    await("no answer", () -> take(counters, "k") instanceof Unavailable && !node.isUp());
    assertThat(observer.failures(RedisFailure.REFUSED)).isPositive();
    assertThat(observer.failures(RedisFailure.TIMEOUT)).isZero();

    commands.replicaofNoOne();
    await("an answer", () -> take(counters, "k") instanceof AllAcquired);
  }

  @Test
  void aLoadingRedisIsNotWaitedFor(@TempDir Path folder) throws Exception {
    try (var loading = RedisProcess.start("--rdbcompression", "no", "--dir", folder.toString())) {
      RedisClient own = RedisClient.create(loading.url());
      open.add(own::shutdown);
      Redis node = node(loading.url(), Duration.ofSeconds(2));
      Counters counters = node.counters();
      await("the first answer", () -> take(counters, "k") instanceof AllAcquired);

      var slowly = own.connect().async();
      for (int n = 0; n < 300; n++) {
        var _ = slowly.set("filling:" + n, "x".repeat(100_000));
      }
      var _ = slowly.configSet("key-load-delay", "10000"); // serves other clients every 2 MB
      slowly.debugReload();
      await("no answer", () -> take(counters, "k") instanceof Unavailable && !node.isUp());
      assertThat(observer.failures(RedisFailure.REFUSED)).as("-LOADING").isPositive();

      await("an answer", () -> take(counters, "k") instanceof AllAcquired);
    }
  }

  @Test
  void aFlushUnderLoadLosesNoSlotForGood() throws Exception {
    Redis node = node(process.url(), Duration.ofSeconds(2));
    Counters counters = node.counters();
    var held = AcquireCalls.slot("held", 1);
    assertThat(AcquireCalls.take(counters, held)).isInstanceOf(AllAcquired.class);
    for (int n = 0; n < 400; n++) {
      if (n % 100 == 50) {
        commands.flushall();
        commands.scriptFlush();
      }
      Acquire acquire = AcquireCalls.slot("busy", 4);
      assertThat(AcquireCalls.take(counters, acquire))
          .as("acquire %d", n)
          .isInstanceOf(AllAcquired.class);
      counters.end(acquire, 0);
    }

    await("what runs is counted again", () -> slotsOf("held") == 1 && slotsOf("busy") == 0);
    assertThat(AcquireCalls.take(counters, AcquireCalls.slot("held", 1)))
        .isInstanceOf(Refused.class);
    counters.end(held, 0);
    await("no slot in use", () -> slotsOf("held") == 0);
  }

  @Test
  void callsToAFrozenRedisAreBounded() throws Exception {
    Redis node = node(process.url(), Duration.ofSeconds(5));
    Counters counters = node.counters();
    await("the first answer", () -> take(counters, "k") instanceof AllAcquired);
    int asked = 3 * RedisConnection.CALLS_MAX;
    var answered = new CountDownLatch(asked);
    var refusedAtOnce = new AtomicInteger();
    process.freeze();
    try {
      for (int n = 0; n < asked; n++) {
        counters.acquire(
            AcquireCalls.slot("k" + n, 1),
            Runnable::run,
            result -> {
              refusedAtOnce.addAndGet(result instanceof Unavailable ? 1 : 0);
              answered.countDown();
            });
        assertThat(node.calls()).isLessThanOrEqualTo(RedisConnection.CALLS_MAX);
      }
      assertThat(refusedAtOnce.get()).isGreaterThanOrEqualTo(asked - RedisConnection.CALLS_MAX);
      assertThat(observer.failures(RedisFailure.QUEUE_FULL))
          .as("%s", observer)
          .isGreaterThanOrEqualTo(RedisConnection.CALLS_MAX);
      assertThat(answered.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("none hangs").isTrue();
    } finally {
      process.thaw();
    }
    await("an answer", () -> take(counters, "after") instanceof AllAcquired);
  }

  @Test
  void sentinelsMakeTheReplicaTheMasterAndNodesFollow() throws Exception {
    var replica =
        RedisProcess.start(
            "--replicaof", "127.0.0.1", "" + process.port(), "--replica-priority", "1");
    open.add(replica);
    var sentinel = RedisProcess.sentinelOf(process, "limits");
    open.add(sentinel);
    RedisClient toSentinel = RedisClient.create("redis://127.0.0.1:" + sentinel.port());
    open.add(toSentinel::shutdown);
    var watch =
        toSentinel.connectSentinel(RedisURI.create("redis://127.0.0.1:" + sentinel.port())).sync();
    watch.set("limits", "down-after-milliseconds", "500");
    watch.set("limits", "failover-timeout", "5000");
    await(
        "a replica that the sentinel knows",
        () ->
            !watch.replicas("limits").isEmpty()
                && "ok".equals(watch.replicas("limits").getFirst().get("master-link-status")));
    Redis node = node("redis-sentinel://127.0.0.1:" + sentinel.port() + "#limits", TIMEOUT);
    Counters counters = node.counters();
    var held = AcquireCalls.slot("held", 1);
    await("the first answer", () -> AcquireCalls.take(counters, held) instanceof AllAcquired);

    process.kill();
    await("unavailable", () -> take(counters, "k") instanceof Unavailable);

    await("an answer of the new master", () -> take(counters, "k") instanceof AllAcquired);
    await(
        "what runs is counted there",
        () -> AcquireCalls.take(counters, AcquireCalls.slot("held", 1)) instanceof Refused);
    counters.end(held, 0);
    await(
        "a free slot",
        () -> AcquireCalls.take(counters, AcquireCalls.slot("held", 1)) instanceof AllAcquired);
  }

  private static AcquireResult take(Counters counters, String key) {
    return AcquireCalls.take(counters, AcquireCalls.slot(key, 1_000));
  }

  private long slotsOf(String key) {
    return commands.hgetall("tollgate:slots:" + key).entrySet().stream()
        .filter(each -> commands.exists(ScriptCall.members(each.getKey())) == 1)
        .mapToLong(each -> Long.parseLong(each.getValue()))
        .sum();
  }

  private static void await(String what, BooleanSupplier holds) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("timed out waiting for " + what);
      }
    }
  }
}
