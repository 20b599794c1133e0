package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.limit.Bucket.Scope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Draw.Take;
import dev.tollgate.core.limit.Drawn;
import dev.tollgate.core.limit.Drawn.Level;
import dev.tollgate.core.limit.Drawn.Refused;
import dev.tollgate.core.limit.Drawn.Taken;
import dev.tollgate.core.limit.Drawn.Unavailable;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A circuit on a real Redis: what is stated anew, also where it has ended meanwhile. */
class CircuitIT {
  private static final Duration TIMEOUT = Duration.ofMillis(250);

  private final RedisProcess process = RedisProcess.start();
  private final Client client = new Client(Address.parse(new Secret(process.url())));
  private final EventExecutor clock = new DefaultEventExecutor();
  private final CountedFigures figures = new CountedFigures();
  private final Held held = new Held();
  private final Circuit circuit =
      new Circuit(client, clock, TIMEOUT, held, figures, "nobody waits");
  private final SharedCounters counters =
      new SharedCounters(circuit, held, new Deadlines(clock, TIMEOUT), figures);

  @BeforeEach
  void start() throws Exception {
    assertThat(circuit.start().get(10, TimeUnit.SECONDS)).isEqualTo(new Circuit.First.Reached());
  }

  @AfterEach
  void end() {
    circuit.close();
    client.close();
    var _ = clock.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    process.close();
  }

  @Test
  void anEndThatOvertookItsNewStatementFreesTheSlotAndGivesNoTokensBackAgain() {
    Take minute = tokens(1_000_000, 400_000);
    Draw draw = Draws.slot("k", 1, minute);
    assertThat(Draws.take(counters, draw)).isInstanceOf(Taken.class);
    counters.end(draw, 300_000);
    long before = remaining();
    assertThat(before).isBetween(700_000L, 799_999L);

    circuit.restate(draw, "another.1");

    assertThat(remaining()).isBetween(before, before + 99_999);
    assertThat(Draws.take(counters, Draws.slot("k", 1))).as("a slot").isInstanceOf(Taken.class);
  }

  @Test
  void aNewEpochTakesWhatRunsOverFromTheOldOne() {
    Draw draw = Draws.slot("k", 1);
    assertThat(Draws.take(counters, draw)).isInstanceOf(Taken.class);
    var before = (Standing.Up) circuit.standing();

    circuit.uncertainUnlessDone(before).accept(new Reply.UnknownScript());

    try (RedisClient raw = RedisClient.create(process.url())) {
      RedisCommands<String, String> commands = raw.connect().sync();
      long deadline = System.nanoTime() + 4 * Circuit.BEAT.toNanos();
      Map<String, String> slots = commands.hgetall("tollgate:slots:k");
      while (slots.containsKey(before.epoch()) && System.nanoTime() < deadline) {
        slots = commands.hgetall("tollgate:slots:k");
      }
      var now = (Standing.Up) circuit.standing();
      assertThat(slots).containsExactly(Map.entry(now.epoch(), "1"));
    }
  }

  @Test
  void whoComesBackFirstGrantsNoSlotBeforeOthersSaidWhatTheyHold() throws Exception {
    var latecomer = new DefaultEventExecutor();
    var heldThere = new Held();
    var there = new Circuit(client, latecomer, TIMEOUT, heldThere, figures, "nobody waits");
    there.start().get(10, TimeUnit.SECONDS);
    try {
      var deadlines = new Deadlines(latecomer, TIMEOUT);
      var other = new SharedCounters(there, heldThere, deadlines, figures);
      assertThat(Draws.take(other, Draws.slot("k", 1))).isInstanceOf(Taken.class);
      var comesBack = new CountDownLatch(1);
      latecomer.execute(() -> awaitUninterruptibly(comesBack));

      process.kill(); // and all members are gone, as after an outage longer than their lease
      process.startAgain();
      awaitOther(Unavailable.class, () -> Draws.take(counters, Draws.without(tokens(100, 1))));
      comesBack.countDown();

      assertThat(awaitOther(Unavailable.class, () -> Draws.take(counters, Draws.slot("k", 1))))
          .isInstanceOf(Refused.class);
    } finally {
      there.close();
      var _ = latecomer.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  @Test
  void afterAShortOutageSlotsAreGrantedAtOnce() throws Exception {
    assertThat(Draws.take(counters, Draws.slot("k", 2))).isInstanceOf(Taken.class);
    try (RedisClient raw = RedisClient.create(process.url())) {
      raw.connect().sync().clientKill(KillArgs.Builder.typeNormal().skipme());
    }
    awaitOther(Taken.class, () -> Draws.take(counters, Draws.without(tokens(100, 1))));
    awaitOther(Unavailable.class, () -> Draws.take(counters, Draws.without(tokens(100, 1))));

    assertThat(Draws.take(counters, Draws.slot("k", 2))).isInstanceOf(Taken.class);
    assertThat(Draws.take(counters, Draws.slot("k", 2))).isInstanceOf(Refused.class);
  }

  private static Drawn awaitOther(Class<? extends Drawn> than, Supplier<Drawn> asked) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    Drawn drawn = asked.get();
    while (than.isInstance(drawn)) {
      assertThat(System.nanoTime()).as("%s", drawn).isLessThan(deadline);
      drawn = asked.get();
    }
    return drawn;
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private long remaining() {
    Draw look = Draws.without(tokens(1_000_000, 0));
    return switch (Draws.take(counters, look)) {
      case Taken taken -> taken.levels().stream().mapToLong(Level::remaining).sum();
      case Refused _ -> throw new AssertionError("a look is refused");
      case Unavailable gone -> throw new AssertionError(gone);
    };
  }

  private static Take tokens(long capacity, long amount) {
    return Draws.of(Scope.KEY, "k", Unit.TOKENS_PER_MINUTE, capacity, amount);
  }
}
