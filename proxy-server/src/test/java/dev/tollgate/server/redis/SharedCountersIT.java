package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.limit.Bucket.Scope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Draw.Take;
import dev.tollgate.core.limit.Drawn;
import dev.tollgate.core.limit.Drawn.Level;
import dev.tollgate.core.limit.Drawn.Refused;
import dev.tollgate.core.limit.Drawn.Taken;
import dev.tollgate.core.limit.Drawn.Unavailable;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The counters of two nodes over one Redis, which is slow, frozen, killed and flushed. */
@Isolated
class SharedCountersIT {
  private static final Duration TIMEOUT = Duration.ofMillis(250); // others compute too

  private final RedisProcess process = RedisProcess.start();
  private final RedisClient client = RedisClient.create(process.url());
  private final RedisCommands<String, String> commands = client.connect().sync();
  private final List<Redis> nodes = new ArrayList<>();
  private final CountedFigures figures = new CountedFigures();
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
    var redis = Redis.open(Address.parse(new Secret(process.url())), TIMEOUT, alone, figures);
    nodes.add(redis);
    return redis;
  }

  @Test
  void aRefusedDrawTakesNothingAnywhere() {
    Take rich = Draws.of(Scope.GLOBAL, "*", Unit.REQUESTS_PER_MINUTE, 100, 1);
    Take poor = Draws.of(Scope.KEY, "k", Unit.REQUESTS_PER_MINUTE, 1, 1);
    assertThat(Draws.take(one, Draws.slot("k", 9, rich, poor))).isInstanceOf(Taken.class);

    var refused = (Refused) Draws.take(other, Draws.slot("k", 9, rich, poor));

    assertThat(refused.slotFree()).isTrue();
    assertThat(refused.levels().get(0)).isEqualTo(new Level(99, 0));
    assertThat(refused.levels().get(1).remaining()).isZero();
    assertThat(refused.levels().get(1).waitMicros()).isBetween(50_000_000L, 60_000_000L);
    assertThat(commands.hgetall("tollgate:slots:k")).hasSize(1).containsValue("1");
    assertThat(((Taken) Draws.take(one, Draws.without(rich))).levels())
        .containsExactly(new Level(98, 0));
  }

  @Test
  void tokensAreCorrectedToWhatWasUsed() {
    Draw thousand = tokens(10_000, 1_000);
    assertThat(Draws.take(one, thousand)).isInstanceOf(Taken.class);
    one.end(thousand, 400);
    awaitRemaining(10_000, 9_600);

    Draw little = tokens(10_000, 100);
    Draws.take(other, little);
    other.end(little, 30_000); // an overrun is booked in full
    awaitRemaining(10_000, -20_400);
  }

  @Test
  void slotsAreSharedAndEndedOnce() {
    Draw first = Draws.slot("k", 2);
    Draws.take(one, first);
    Draws.take(other, Draws.slot("k", 2));
    assertThat(Draws.take(one, Draws.slot("k", 2))).isEqualTo(new Refused(List.of(), false));

    one.end(first, 0);
    one.end(first, 0);

    assertThat(Draws.take(one, Draws.slot("k", 2))).isInstanceOf(Taken.class);
    assertThat(Draws.take(other, Draws.slot("k", 2))).isInstanceOf(Refused.class);
  }

  @Test
  void anotherCapacityActsOnTheRunningBucket() {
    Draw most = tokens(1_000, 900);
    Draws.take(one, most);

    assertThat(level(tokens(100_000, 0))).isBetween(100L, 1_000L);
    assertThat(level(tokens(50, 0))).isEqualTo(50);
    one.end(most, 900); // was admitted under the old capacity, which does not come back with it
    assertThat(level(tokens(50, 0))).isEqualTo(50);
  }

  @Test
  void everyKeyGoesByItself() {
    Draws.take(one, Draws.slot("k", 2, tokens(100, 10).takes().getFirst()));

    assertThat(commands.keys("*"))
        .hasSizeGreaterThanOrEqualTo(4)
        .allSatisfy(key -> assertThat(commands.pttl(key)).isBetween(1L, 86_400_000L));
  }

  @Test
  void aNodeThatEndsLeavesNoSlot() {
    Draws.take(one, Draws.slot("k", 1));
    nodes.getFirst().close();

    await("a free slot", () -> Draws.take(other, Draws.slot("k", 1)) instanceof Taken);
  }

  @Test
  void forgottenScriptsAndCountsAreMadeUpFor() {
    Draws.take(one, Draws.slot("k", 2));
    commands.scriptFlush();
    assertThat(Draws.take(one, Draws.slot("k", 2))).isInstanceOf(Taken.class);
    assertThat(Draws.take(one, Draws.slot("k", 2))).isInstanceOf(Refused.class);

    commands.flushall();

    await("the node's slots counted again", () -> slotsOf("k") == 2);
    assertThat(Draws.take(other, Draws.slot("k", 2))).isInstanceOf(Refused.class);
  }

  @Test
  void aRequestThatComesFirstDoesNotHideThatOthersWereForgotten() {
    Draws.take(one, Draws.slot("k", 2));
    Draws.take(one, Draws.slot("k", 2));

    commands.flushall();
    assertThat(Draws.take(one, Draws.slot("another", 9))).isInstanceOf(Taken.class);

    await("the node's slots counted again", () -> slotsOf("k") == 2);
    assertThat(slotsOf("another")).isEqualTo(1);
  }

  @Test
  void whatIsStatedAnewIsCountedOnceForOthersAlsoBetweenItsBatches() {
    List<Draw> running = Stream.generate(() -> Draws.slot("k", 100)).limit(60).toList();
    running.forEach(draw -> run(ScriptCall.take(draw, "node.1")));

    run(ScriptCall.restate(running.subList(0, 30), "node.1", "node.2"));
    for (int n = 0; n < 40; n++) {
      assertThat(Draws.take(other, Draws.slot("k", 100))).isInstanceOf(Taken.class);
    }
    assertThat(Draws.take(other, Draws.slot("k", 100))).isInstanceOf(Refused.class);

    run(ScriptCall.restate(running.subList(30, 60), "node.1", "node.2"));
    run(ScriptCall.restate(running, "node.1", "node.2"));
    assertThat(commands.hgetall("tollgate:slots:k"))
        .containsEntry("node.2", "60")
        .doesNotContainKey("node.1");
    assertThat(
            run(
                ScriptCall.end(
                    new DrawEnd.Used(running.getFirst(), 0), List.of("node.2", "node.1"))))
        .containsExactly(1L);
    assertThat(Draws.take(other, Draws.slot("k", 100))).isInstanceOf(Taken.class);
  }

  @Test
  void whatEndsBeforeItIsStatedAnewGivesBackItsTokensAndItsSlot() {
    Draw draw = Draws.slot("k", 1, tokens(1_000_000, 600_000).takes().getFirst());
    run(ScriptCall.take(draw, "node.1"));

    assertThat(run(ScriptCall.end(new DrawEnd.Used(draw, 100_000), List.of("node.2", "node.1"))))
        .containsExactly(1L);

    assertThat(level(tokens(1_000_000, 0))).isGreaterThanOrEqualTo(900_000);
    assertThat(slotsOf("k")).isZero();
    assertThat(run(ScriptCall.end(new DrawEnd.Used(draw, 100_000), List.of("node.2", "node.1"))))
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
  void aFrozenRedisKeepsNobodyWaiting() {
    Draw held = Draws.slot("k", 3);
    Draws.take(one, held);
    process.freeze();

    List<Long> millis = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      long began = System.nanoTime();
      assertThat(Draws.take(one, Draws.slot("k", 3))).isInstanceOf(Unavailable.class);
      millis.add((System.nanoTime() - began) / 1_000_000);
    }
    assertThat(millis).allSatisfy(each -> assertThat(each).isLessThan(2 * TIMEOUT.toMillis()));
    assertThat(millis.stream().filter(each -> each >= TIMEOUT.toMillis()))
        .hasSizeLessThanOrEqualTo(3);
    assertThat(figures.failures(Failure.TIMEOUT)).isGreaterThanOrEqualTo(3);
    assertThat(figures.failures(Failure.DOWN)).isGreaterThanOrEqualTo(190);

    process.thaw();
    long thawed = System.nanoTime();
    await("an answer", () -> Draws.take(one, Draws.without()) instanceof Taken && isUp());
    assertThat(Duration.ofNanos(System.nanoTime() - thawed)).isLessThan(Duration.ofSeconds(2));
    // What was asked in vain holds nothing, and what runs still does.
    await("one slot in use", () -> slotsOf("k") == 1);
    one.end(held, 0);
    await("no slot in use", () -> slotsOf("k") == 0);
  }

  @Test
  void aKilledRedisIsFoundAgain() {
    Draw held = Draws.slot("k", 1);
    Draws.take(one, held);
    process.kill();
    await("unavailable", () -> Draws.take(one, Draws.slot("k", 1)) instanceof Unavailable);

    process.startAgain();
    var drawn = new AtomicReference<Drawn>(new Unavailable("it was killed"));
    await(
        "an answer",
        () -> {
          drawn.set(Draws.take(one, Draws.slot("k", 1)));
          return !(drawn.get() instanceof Unavailable);
        });
    assertThat(drawn.get()).as("what runs was stated before").isInstanceOf(Refused.class);
    one.end(held, 0);
    await("a free slot", () -> Draws.take(other, Draws.slot("k", 1)) instanceof Taken);
  }

  @Test
  void aClusterIsRefused() {
    try (var cluster = RedisProcess.start("--cluster-enabled", "yes")) {
      assertThatThrownBy(
              () ->
                  Redis.open(
                      Address.parse(new Secret(cluster.url())), TIMEOUT, Optional.empty(), figures))
          .isInstanceOf(Redis.ClusterException.class)
          .hasMessageContaining("is a Redis Cluster");
    }
  }

  @Test
  void sentinelsNameTheMaster() throws Exception {
    try (var sentinel = RedisProcess.sentinelOf(process, "limits")) {
      var url = new Secret("redis-sentinel://127.0.0.1:" + sentinel.port() + "#limits");
      var redis = Redis.open(Address.parse(url), TIMEOUT, Optional.empty(), figures);
      nodes.add(redis);
      Draws.take(one, Draws.slot("k", 1));

      assertThat(Draws.take(redis.counters(), Draws.slot("k", 1))).isInstanceOf(Refused.class);
    }
  }

  @Test
  void changedKeysAreHeardOf() throws Exception {
    var heard = new Semaphore(0);
    nodes.getFirst().onKeyChange(heard::release);
    assertThat(heard.tryAcquire(5, TimeUnit.SECONDS)).as("it listens").isTrue();

    announce();
    assertThat(heard.tryAcquire(5, TimeUnit.SECONDS)).isTrue();

    process.kill();
    process.startAgain();
    assertThat(heard.tryAcquire(5, TimeUnit.SECONDS)).as("something may be missed").isTrue();
    announce();
    assertThat(heard.tryAcquire(5, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void withoutRedisANodeCountsAloneIfItMay() throws Exception {
    Counters alone = open(Optional.of(new OneTakeEach())).counters();
    Draw shared = Draws.slot("k", 1);
    assertThat(Draws.take(alone, shared)).isInstanceOf(Taken.class);
    process.kill();
    Draw local = Draws.slot("k", 1);
    await("an answer of its own", () -> Draws.take(alone, local).equals(OneTakeEach.TAKEN));
    alone.end(local, 0);
    alone.end(shared, 0);
  }

  @Test
  void aSlotThatANodeGrantedAloneIsCountedOnceRedisAnswersAgain() throws Exception {
    Redis node = open(Optional.of(new LocalCounters(System::nanoTime, 100)));
    Take tokens = Draws.of(Scope.KEY, "t", Unit.TOKENS_PER_MINUTE, 10_000_000, 4_000_000);
    Draw local = Draws.slot("k", 1, tokens);
    process.kill();
    await("a grant of its own", () -> Draws.take(node.counters(), local) instanceof Taken);
    assertThat(node.slotsHeld()).as("the node's own counters count it").isZero();

    process.startAgain();
    await("it is counted for all", () -> slotsOf("k") == 1);
    await("no second slot", () -> Draws.take(other, Draws.slot("k", 1)) instanceof Refused);
    assertThat(Draws.take(other, tokens(10_000_000, 5_000_000))).isInstanceOf(Taken.class);

    node.counters().end(local, 0);
    await("a free slot", () -> Draws.take(other, Draws.slot("k", 1)) instanceof Taken);
    assertThat(level(tokens(10_000_000, 0)))
        .as("tokens that were not taken there do not come back there")
        .isLessThan(9_000_000);
  }

  private void announce() {
    try (var announcer = Announcer.begin(Address.parse(new Secret(process.url())))) {
      assertThat(announcer.changed()).isEqualTo(new Announcer.Announced.Done());
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

  private static Draw tokens(long capacity, long amount) {
    return Draws.without(Draws.of(Scope.KEY, "t", Unit.TOKENS_PER_MINUTE, capacity, amount));
  }

  private long level(Draw nothing) {
    return ((Taken) Draws.take(other, nothing)).levels().getFirst().remaining();
  }

  /** Ends are not awaited by those who send them. */
  private void awaitRemaining(long capacity, long least) {
    await(
        least + " remaining",
        () -> {
          Drawn drawn = Draws.take(one, tokens(capacity, 0));
          long remaining =
              switch (drawn) {
                case Taken taken -> taken.levels().getFirst().remaining();
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
        throw new AssertionError("waited in vain for " + what);
      }
    }
  }
}
