package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.limit.Bucket.Scope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Draw.Take;
import dev.tollgate.core.limit.Drawn.Level;
import dev.tollgate.core.limit.Drawn.Refused;
import dev.tollgate.core.limit.Drawn.Taken;
import dev.tollgate.core.limit.Drawn.Unavailable;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
