package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.Acquire.BucketAmount;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.limit.AcquireResult.AllAcquired;
import dev.tollgate.core.limit.AcquireResult.Level;
import dev.tollgate.core.limit.AcquireResult.Refused;
import dev.tollgate.core.limit.AcquireResult.Unavailable;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.Bucket.Unit;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Circuit on a real Redis: acquisitions are restated, also if they ended meanwhile. */
class RedisCircuitIT {
  private static final Duration TIMEOUT = Duration.ofMillis(250);

  private final RedisProcess process = RedisProcess.start();
  private final RedisConnector client =
      new RedisConnector(RedisAddress.parse(new Secret(process.url())));
  private final EventExecutor clock = new DefaultEventExecutor();
  private final FailureCounts observer = new FailureCounts();
  private final ActivePermits permits = new ActivePermits();
  private final RedisCircuit circuit =
      new RedisCircuit(client, clock, TIMEOUT, permits, observer, "no fallback");
  private final SharedCounters counters = new SharedCounters(circuit, permits, observer);

  @BeforeEach
  void start() throws Exception {
    assertThat(circuit.start().get(10, TimeUnit.SECONDS))
        .isEqualTo(new RedisCircuit.ConnectResult.Connected());
  }

  @AfterEach
  void end() {
    circuit.close();
    client.close();
    var _ = clock.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    process.close();
  }

  @Test
  void aReleaseBeforeItsRestatementFreesTheSlotAndReturnsTokensOnce() {
    BucketAmount minute = tokens(1_000_000, 400_000);
    Acquire acquire = AcquireCalls.slot("k", 1, minute);
    assertThat(AcquireCalls.take(counters, acquire)).isInstanceOf(AllAcquired.class);
    counters.end(acquire, 300_000);
    long before = remaining();
    assertThat(before).isBetween(700_000L, 799_999L);

    circuit.restate(acquire, "another.1");

    assertThat(remaining()).isBetween(before, before + 99_999);
    assertThat(AcquireCalls.take(counters, AcquireCalls.slot("k", 1)))
        .as("a slot")
        .isInstanceOf(AllAcquired.class);
  }

  @Test
  void aNewEpochTakesOverRunningRequests() {
    Acquire acquire = AcquireCalls.slot("k", 1);
    assertThat(AcquireCalls.take(counters, acquire)).isInstanceOf(AllAcquired.class);
    var before = (ConnectionState.Up) circuit.connectionState();

    circuit.uncertainUnlessDone(before).accept(new RedisReply.UnknownScript());

    try (RedisClient raw = RedisClient.create(process.url())) {
      RedisCommands<String, String> commands = raw.connect().sync();
      long deadline = System.nanoTime() + 4 * RedisCircuit.HEARTBEAT.toNanos();
      Map<String, String> slots = commands.hgetall("tollgate:slots:k");
      while (slots.containsKey(before.epoch()) && System.nanoTime() < deadline) {
        slots = commands.hgetall("tollgate:slots:k");
      }
      var now = (ConnectionState.Up) circuit.connectionState();
      assertThat(slots).containsExactly(Map.entry(now.epoch(), "1"));
    }
  }

  @Test
  void theFirstNodeToReturnGrantsNoSlotInTheGracePeriod() throws Exception {
    var latecomer = new DefaultEventExecutor();
    var heldThere = new ActivePermits();
    var freshPermits = new ActivePermits();
    var there = new RedisCircuit(client, latecomer, TIMEOUT, heldThere, observer, "no fallback");
    there.start().get(10, TimeUnit.SECONDS);
    try {
      var other = new SharedCounters(there, heldThere, observer);
      assertThat(AcquireCalls.take(other, AcquireCalls.slot("k", 1)))
          .isInstanceOf(AllAcquired.class);
      var comesBack = new CountDownLatch(1);
      latecomer.execute(() -> awaitUninterruptibly(comesBack));

      process.kill(); // and all members have expired, as after an outage longer than their lease
      var fresh = new RedisCircuit(client, clock, TIMEOUT, freshPermits, observer, "no fallback");
      assertThat(fresh.start().get(10, TimeUnit.SECONDS))
          .isInstanceOf(RedisCircuit.ConnectResult.ConnectFailed.class);
      var ofFresh = new SharedCounters(fresh, freshPermits, observer);
      process.startAgain();
      awaitOther(
          Unavailable.class,
          () -> AcquireCalls.take(counters, AcquireCalls.without(tokens(100, 1))));
      comesBack.countDown();

      assertThat(
              awaitOther(
                  Unavailable.class,
                  () ->
                      AcquireCalls.take(ofFresh, AcquireCalls.slot("k", 1))
                              instanceof Refused refused
                          ? refused
                          : AcquireCalls.take(counters, AcquireCalls.slot("k", 1))))
          .isInstanceOf(Refused.class);
      fresh.close();
    } finally {
      there.close();
      var _ = latecomer.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  @Test
  void aNodeThatWasLateAtItsStartGrantsSlotsAtOnce() throws Exception {
    try (RedisClient raw = RedisClient.create(process.url())) {
      raw.connect().sync().set(ScriptCall.COUNTED_SINCE, "0"); // and not since this test began
    }
    var own = new DefaultEventExecutor();
    try (var relay = new SlowRelay(process);
        var slow = new RedisConnector(RedisAddress.parse(new Secret(relay.url())))) {
      relay.delayFrom("cluster", TIMEOUT.multipliedBy(3));
      var late = new RedisCircuit(slow, own, TIMEOUT, permits, observer, "no fallback");
      CompletableFuture<RedisCircuit.ConnectResult> first = late.start();
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      while (observed(late).contains("not reached yet")) {
        assertThat(System.nanoTime()).isLessThan(deadline);
      }
      relay.delayFrom("never", Duration.ZERO);
      relay.delay(Duration.ZERO);

      assertThat(first.get(10, TimeUnit.SECONDS))
          .isEqualTo(new RedisCircuit.ConnectResult.Connected());
      assertThat(
              AcquireCalls.take(
                  new SharedCounters(late, permits, observer), AcquireCalls.slot("k", 1)))
          .isInstanceOf(AllAcquired.class);
      late.close();
    } finally {
      var _ = own.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  private static String observed(RedisCircuit circuit) {
    return circuit.connectionState().toString();
  }

  @Test
  void afterAShortOutageSlotsAreGrantedAtOnce() throws Exception {
    assertThat(AcquireCalls.take(counters, AcquireCalls.slot("k", 2)))
        .isInstanceOf(AllAcquired.class);
    try (RedisClient raw = RedisClient.create(process.url())) {
      raw.connect().sync().clientKill(KillArgs.Builder.typeNormal().skipme());
    }
    awaitOther(
        AllAcquired.class, () -> AcquireCalls.take(counters, AcquireCalls.without(tokens(100, 1))));
    awaitOther(
        Unavailable.class, () -> AcquireCalls.take(counters, AcquireCalls.without(tokens(100, 1))));

    assertThat(AcquireCalls.take(counters, AcquireCalls.slot("k", 2)))
        .isInstanceOf(AllAcquired.class);
    assertThat(AcquireCalls.take(counters, AcquireCalls.slot("k", 2))).isInstanceOf(Refused.class);
  }

  private static AcquireResult awaitOther(
      Class<? extends AcquireResult> than, Supplier<AcquireResult> asked) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    AcquireResult result = asked.get();
    while (than.isInstance(result)) {
      assertThat(System.nanoTime()).as("%s", result).isLessThan(deadline);
      result = asked.get();
    }
    return result;
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private long remaining() {
    Acquire probe = AcquireCalls.without(tokens(1_000_000, 0));
    return switch (AcquireCalls.take(counters, probe)) {
      case AllAcquired taken -> taken.levels().stream().mapToLong(Level::remaining).sum();
      case Refused _ -> throw new AssertionError("a probe is refused");
      case Unavailable gone -> throw new AssertionError(gone);
    };
  }

  private static BucketAmount tokens(long capacity, long amount) {
    return AcquireCalls.of(LimitScope.KEY, "k", Unit.TOKENS_PER_MINUTE, capacity, amount);
  }
}
