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
import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.limit.LocalCounters;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Counters of two nodes on one Redis, which is slow, frozen, killed and flushed. */
@Isolated
@Tag("chaos")
class SharedCountersIT {
  private static final Duration TIMEOUT =
      Duration.ofMillis(250); // other processes use the CPU, too

  private final RedisProcess process = RedisProcess.start();
  private final RedisClient client = RedisClient.create(process.url());
  private final RedisCommands<String, String> commands = client.connect().sync();
  private final List<Redis> nodes = new ArrayList<>();
  private final FailureCounts observer = new FailureCounts();
  private Counters one;
  private Counters other;

  @BeforeEach
  void twoNodes() throws Exception {
    one = open(Optional.empty()).counters();
    other = open(Optional.empty()).counters();
  }

  @AfterEach
  void end() {
    process.thaw();
    nodes.forEach(Redis::close);
    client.shutdown();
    process.close();
  }

  private Redis open(Optional<Counters> alone) throws Exception {
    var redis = Redis.open(RedisAddress.parse(new Secret(process.url())), TIMEOUT, alone, observer);
    nodes.add(redis);
    return redis;
  }

  @Test
  void aRefusedAcquireTakesNothing() {
    BucketAmount rich = AcquireCalls.of(LimitScope.GLOBAL, "*", Unit.REQUESTS_PER_MINUTE, 100, 1);
    BucketAmount poor = AcquireCalls.of(LimitScope.KEY, "k", Unit.REQUESTS_PER_MINUTE, 1, 1);
    assertThat(AcquireCalls.take(one, AcquireCalls.slot("k", 9, rich, poor)))
        .isInstanceOf(AllAcquired.class);

    var refused = (Refused) AcquireCalls.take(other, AcquireCalls.slot("k", 9, rich, poor));

    assertThat(refused.slotFree()).isTrue();
    assertThat(refused.levels().get(0)).isEqualTo(new Level(99, 0));
    assertThat(refused.levels().get(1).remaining()).isZero();
    assertThat(refused.levels().get(1).waitMicros()).isBetween(50_000_000L, 60_000_000L);
    assertThat(commands.hgetall("tollgate:slots:k")).hasSize(1).containsValue("1");
    assertThat(((AllAcquired) AcquireCalls.take(one, AcquireCalls.without(rich))).levels())
        .containsExactly(new Level(98, 0));
  }

  @Test
  void tokensAreCorrectedToWhatWasUsed() {
    Acquire thousand = tokens(10_000, 1_000);
    assertThat(AcquireCalls.take(one, thousand)).isInstanceOf(AllAcquired.class);
    one.end(thousand, 400);
    awaitRemaining(10_000, 9_600);

    Acquire little = tokens(10_000, 100);
    AcquireCalls.take(other, little);
    other.end(little, 30_000); // an overrun is taken in full
    awaitRemaining(10_000, -20_400);
  }

  @Test
  void slotsAreSharedAndEndedOnce() {
    Acquire first = AcquireCalls.slot("k", 2);
    AcquireCalls.take(one, first);
    AcquireCalls.take(other, AcquireCalls.slot("k", 2));
    assertThat(AcquireCalls.take(one, AcquireCalls.slot("k", 2)))
        .isEqualTo(new Refused(List.of(), false));

    one.end(first, 0);
    one.end(first, 0);

    assertThat(AcquireCalls.take(one, AcquireCalls.slot("k", 2))).isInstanceOf(AllAcquired.class);
    assertThat(AcquireCalls.take(other, AcquireCalls.slot("k", 2))).isInstanceOf(Refused.class);
  }

  @Test
  void aChangedCapacityAppliesToTheStoredBucket() {
    Acquire most = tokens(1_000, 900);
    AcquireCalls.take(one, most);

    assertThat(level(tokens(100_000, 0))).isBetween(100L, 1_000L);
    assertThat(level(tokens(50, 0))).isEqualTo(50);
    one.end(most, 900); // was granted under the old capacity, which its end must not restore
    assertThat(level(tokens(50, 0))).isEqualTo(50);
  }

  @Test
  void everyKeyExpires() {
    AcquireCalls.take(one, AcquireCalls.slot("k", 2, tokens(100, 10).amounts().getFirst()));

    assertThat(commands.keys("*"))
        .hasSizeGreaterThanOrEqualTo(4)
        .allSatisfy(key -> assertThat(commands.pttl(key)).isBetween(1L, 86_400_000L));
  }

  @Test
  void aNodeThatEndsLeavesNoSlot() {
    AcquireCalls.take(one, AcquireCalls.slot("k", 1));
    nodes.getFirst().close();

    await(
        "a free slot",
        () -> AcquireCalls.take(other, AcquireCalls.slot("k", 1)) instanceof AllAcquired);
  }

  @Test
  void lostScriptsAndCountsAreRestored() {
    AcquireCalls.take(one, AcquireCalls.slot("k", 2));
    commands.scriptFlush();
    assertThat(AcquireCalls.take(one, AcquireCalls.slot("k", 2))).isInstanceOf(AllAcquired.class);
    assertThat(AcquireCalls.take(one, AcquireCalls.slot("k", 2))).isInstanceOf(Refused.class);

    commands.flushall();

    await("the node's slots counted again", () -> slotsOf("k") == 2);
    assertThat(AcquireCalls.take(other, AcquireCalls.slot("k", 2))).isInstanceOf(Refused.class);
  }

  @Test
  void aNewRequestDoesNotHideLostMembers() {
    AcquireCalls.take(one, AcquireCalls.slot("k", 2));
    AcquireCalls.take(one, AcquireCalls.slot("k", 2));

    commands.flushall();
    assertThat(AcquireCalls.take(one, AcquireCalls.slot("another", 9)))
        .isInstanceOf(AllAcquired.class);

    await("the node's slots counted again", () -> slotsOf("k") == 2);
    assertThat(slotsOf("another")).isEqualTo(1);
  }

  @Test
  void restatedRequestsAreCountedOnceAlsoBetweenBatches() {
    List<Acquire> running = Stream.generate(() -> AcquireCalls.slot("k", 100)).limit(60).toList();
    running.forEach(acquire -> run(ScriptCall.acquire(acquire, "node.1")));

    run(ScriptCall.restate(running.subList(0, 30), "node.1", "node.2"));
    for (int n = 0; n < 40; n++) {
      assertThat(AcquireCalls.take(other, AcquireCalls.slot("k", 100)))
          .isInstanceOf(AllAcquired.class);
    }
    assertThat(AcquireCalls.take(other, AcquireCalls.slot("k", 100))).isInstanceOf(Refused.class);

    run(ScriptCall.restate(running.subList(30, 60), "node.1", "node.2"));
    run(ScriptCall.restate(running, "node.1", "node.2"));
    assertThat(commands.hgetall("tollgate:slots:k"))
        .containsEntry("node.2", "60")
        .doesNotContainKey("node.1");
    assertThat(
            run(
                ScriptCall.end(
                    new PermitRelease.Used(running.getFirst(), 0), List.of("node.2", "node.1"))))
        .containsExactly(1L);
    assertThat(AcquireCalls.take(other, AcquireCalls.slot("k", 100)))
        .isInstanceOf(AllAcquired.class);
  }

  @Test
  void aReleaseBeforeARestatementReturnsTokensAndSlot() {
    Acquire acquire = AcquireCalls.slot("k", 1, tokens(1_000_000, 600_000).amounts().getFirst());
    run(ScriptCall.acquire(acquire, "node.1"));

    assertThat(
            run(
                ScriptCall.end(
                    new PermitRelease.Used(acquire, 100_000), List.of("node.2", "node.1"))))
        .containsExactly(1L);

    assertThat(level(tokens(1_000_000, 0))).isGreaterThanOrEqualTo(900_000);
    assertThat(slotsOf("k")).isZero();
    assertThat(
            run(
                ScriptCall.end(
                    new PermitRelease.Used(acquire, 100_000), List.of("node.2", "node.1"))))
        .containsExactly(0L);
  }

  private List<Long> run(ScriptCall call) {
    return commands.eval(
        call.script().text(),
        ScriptOutputType.MULTI,
        call.keys().toArray(String[]::new),
        call.arguments().toArray(String[]::new));
  }

  @Test
  void aFrozenRedisDelaysNoRequest() {
    Acquire held = AcquireCalls.slot("k", 3);
    AcquireCalls.take(one, held);
    process.freeze();

    List<Long> millis = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      long began = System.nanoTime();
      assertThat(AcquireCalls.take(one, AcquireCalls.slot("k", 3))).isInstanceOf(Unavailable.class);
      millis.add((System.nanoTime() - began) / 1_000_000);
    }
    assertThat(millis).allSatisfy(each -> assertThat(each).isLessThan(2 * TIMEOUT.toMillis()));
    assertThat(millis.stream().filter(each -> each >= TIMEOUT.toMillis()))
        .hasSizeLessThanOrEqualTo(3);
    assertThat(observer.failures(RedisFailure.TIMEOUT)).isGreaterThanOrEqualTo(3);
    assertThat(observer.failures(RedisFailure.DOWN)).isGreaterThanOrEqualTo(190);

    process.thaw();
    long thawed = System.nanoTime();
    await(
        "an answer",
        () -> AcquireCalls.take(one, AcquireCalls.without()) instanceof AllAcquired && isUp());
    assertThat(Duration.ofNanos(System.nanoTime() - thawed)).isLessThan(Duration.ofSeconds(2));
    // A timed-out acquisition holds nothing, and a running one still does.
    await("one slot in use", () -> slotsOf("k") == 1);
    one.end(held, 0);
    await("no slot in use", () -> slotsOf("k") == 0);
  }

  @Test
  void aKilledRedisIsReconnected() {
    Acquire held = AcquireCalls.slot("k", 1);
    AcquireCalls.take(one, held);
    process.kill();
    await(
        "unavailable",
        () -> AcquireCalls.take(one, AcquireCalls.slot("k", 1)) instanceof Unavailable);

    process.startAgain();
    var result = new AtomicReference<AcquireResult>(new Unavailable("it was killed"));
    await(
        "an answer",
        () -> {
          result.set(AcquireCalls.take(one, AcquireCalls.slot("k", 1)));
          return !(result.get() instanceof Unavailable);
        });
    assertThat(result.get()).as("what runs was stated before").isInstanceOf(Refused.class);
    one.end(held, 0);
    await(
        "a free slot",
        () -> AcquireCalls.take(other, AcquireCalls.slot("k", 1)) instanceof AllAcquired);
  }

  @Test
  void sentinelsNameTheMaster() throws Exception {
    try (var sentinel = RedisProcess.sentinelOf(process, "limits")) {
      var url = new Secret("redis-sentinel://127.0.0.1:" + sentinel.port() + "#limits");
      var redis = Redis.open(RedisAddress.parse(url), TIMEOUT, Optional.empty(), observer);
      nodes.add(redis);
      AcquireCalls.take(one, AcquireCalls.slot("k", 1));

      assertThat(AcquireCalls.take(redis.counters(), AcquireCalls.slot("k", 1)))
          .isInstanceOf(Refused.class);
    }
  }

  @Test
  void changedKeysAreNotified() throws Exception {
    var notified = new Semaphore(0);
    nodes.getFirst().onKeyChange(notified::release);
    assertThat(notified.tryAcquire(5, TimeUnit.SECONDS)).as("subscribed").isTrue();

    announce();
    assertThat(notified.tryAcquire(5, TimeUnit.SECONDS)).isTrue();

    process.kill();
    process.startAgain();
    assertThat(notified.tryAcquire(5, TimeUnit.SECONDS)).as("something may be missed").isTrue();
    announce();
    assertThat(notified.tryAcquire(5, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void withoutRedisANodeCountsLocallyIfConfigured() throws Exception {
    Counters alone = open(Optional.of(new ExactlyOnceCounters())).counters();
    Acquire shared = AcquireCalls.slot("k", 1);
    assertThat(AcquireCalls.take(alone, shared)).isInstanceOf(AllAcquired.class);
    process.kill();
    Acquire local = AcquireCalls.slot("k", 1);
    await(
        "an answer of its own",
        () -> AcquireCalls.take(alone, local).equals(ExactlyOnceCounters.TAKEN));
    alone.end(local, 0);
    alone.end(shared, 0);
  }

  @Test
  void aLocalSlotIsCountedOnceRedisAnswersAgain() throws Exception {
    Redis node = open(Optional.of(new LocalCounters(System::nanoTime, 100)));
    BucketAmount tokens =
        AcquireCalls.of(LimitScope.KEY, "t", Unit.TOKENS_PER_MINUTE, 10_000_000, 4_000_000);
    Acquire local = AcquireCalls.slot("k", 1, tokens);
    process.kill();
    await(
        "a grant of its own",
        () -> AcquireCalls.take(node.counters(), local) instanceof AllAcquired);
    assertThat(node.slotsHeld()).as("the node's own counters count it").isZero();

    process.startAgain();
    await("it is counted for all", () -> slotsOf("k") == 1);
    await(
        "no second slot",
        () -> AcquireCalls.take(other, AcquireCalls.slot("k", 1)) instanceof Refused);
    assertThat(AcquireCalls.take(other, tokens(10_000_000, 5_000_000)))
        .isInstanceOf(AllAcquired.class);

    node.counters().end(local, 0);
    await(
        "a free slot",
        () -> AcquireCalls.take(other, AcquireCalls.slot("k", 1)) instanceof AllAcquired);
    assertThat(level(tokens(10_000_000, 0)))
        .as("tokens that were not taken there do not come back there")
        .isLessThan(9_000_000);
  }

  private void announce() {
    try (var announcer =
        KeyChangePublisher.connect(RedisAddress.parse(new Secret(process.url())))) {
      assertThat(announcer.publish()).isEqualTo(new KeyChangePublisher.PublishResult.Done());
    }
  }

  private boolean isUp() {
    return nodes.getFirst().isUp();
  }

  private long slotsOf(String key) {
    return commands.hgetall("tollgate:slots:" + key).entrySet().stream()
        .filter(each -> commands.exists(ScriptCall.members(each.getKey())) == 1)
        .mapToLong(each -> Long.parseLong(each.getValue()))
        .sum();
  }

  private static Acquire tokens(long capacity, long amount) {
    return AcquireCalls.without(
        AcquireCalls.of(LimitScope.KEY, "t", Unit.TOKENS_PER_MINUTE, capacity, amount));
  }

  private long level(Acquire nothing) {
    return ((AllAcquired) AcquireCalls.take(other, nothing)).levels().getFirst().remaining();
  }

  /** Releases are not awaited by their senders. */
  private void awaitRemaining(long capacity, long least) {
    await(
        least + " remaining",
        () -> {
          AcquireResult result = AcquireCalls.take(one, tokens(capacity, 0));
          long remaining =
              switch (result) {
                case AllAcquired taken -> taken.levels().getFirst().remaining();
                case Refused refused -> refused.levels().getFirst().remaining();
                case Unavailable _ -> Long.MIN_VALUE;
              };
          return remaining >= least && remaining < least + capacity / 20;
        });
  }

  private static void await(String what, BooleanSupplier holds) {
    long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("timed out waiting for " + what);
      }
    }
  }
}
