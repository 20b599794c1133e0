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
import dev.tollgate.server.redis.Standing.Down;
import dev.tollgate.server.redis.Standing.Up;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * What ends, or turns out to be asked in vain, while a real Redis is not asked: nothing is lost.
 */
@Isolated
class LateEndsIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(1); // others compute too
  private static final long CAPACITY = 1_000_000; // of which 17,000 flow in each second

  private final RedisProcess process = RedisProcess.start();
  private final SlowRelay relay = new SlowRelay(process);
  private final RedisClient raw = RedisClient.create(process.url());
  private final RedisCommands<String, String> commands = raw.connect().sync();
  private final List<Node> nodes = new ArrayList<>();
  private final Node node = node(relay.url());

  /** A circuit with its counters. */
  private record Node(
      Client client,
      EventExecutor clock,
      CountedFigures figures,
      Circuit circuit,
      SharedCounters counters) {
    static Node at(String url) {
      var client = new Client(Address.parse(new Secret(url)));
      var clock = new DefaultEventExecutor();
      var figures = new CountedFigures();
      var held = new Held();
      var circuit = new Circuit(client, clock, TIMEOUT, held, figures, "nobody waits");
      var deadlines = new Deadlines(clock, TIMEOUT);
      var counters = new SharedCounters(circuit, held, deadlines, figures);
      assertThat(circuit.start().orTimeout(10, TimeUnit.SECONDS).join())
          .isEqualTo(new Circuit.First.Reached());
      return new Node(client, clock, figures, circuit, counters);
    }

    void close() {
      circuit.close();
      client.close();
      var _ = clock.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    Up up() {
      return (Up) circuit.standing();
    }

    /** Nobody asks any more, until a probe is answered. */
    void trip() {
      circuit.failed(up(), Failure.DISCONNECTED, "the test says so");
    }

    void awaitNext(Up before) {
      await(
          "another epoch",
          () ->
              circuit.standing() instanceof Up now
                  && !now.epoch().equals(before.epoch())
                  && !now.settling().get());
    }
  }

  private Node node(String url) {
    Node made = Node.at(url);
    nodes.add(made);
    return made;
  }

  @AfterEach
  void end() {
    process.thaw();
    nodes.forEach(Node::close);
    raw.shutdown();
    relay.close();
    process.close();
  }

  @Test
  void whatEndsWhileNobodyAsksIsCorrectedOnceRedisAnswers() {
    Draw draw = Draws.slot("k", 1, tokens(600_000));
    Draw overrun = Draws.slot("other", 1, Draws.of(Scope.KEY, "o", Unit.TOKENS_PER_MINUTE, 9, 1));
    assertThat(Draws.take(node.counters(), draw)).isInstanceOf(Taken.class);
    assertThat(Draws.take(node.counters(), overrun)).isInstanceOf(Taken.class);
    Up before = node.up();
    process.freeze();
    node.trip();

    node.counters().end(draw, 100_000);
    node.counters().end(overrun, 900);
    assertThat(node.circuit().standing()).isInstanceOf(Down.class);
    process.thaw();
    node.awaitNext(before);

    awaitRemaining(900_000);
    await(
        "an overrun", () -> remaining(Draws.of(Scope.KEY, "o", Unit.TOKENS_PER_MINUTE, 9, 0)) < 0);
    assertThat(Draws.take(node.counters(), Draws.slot("k", 1))).isInstanceOf(Taken.class);
  }

  @Test
  void whatIsGivenUpBehindTheEndOfItsEpochComesBack() {
    Draw draw = Draws.slot("k", 1, tokens(600_000));
    Up before = node.up();
    var late = taking(draw, before);
    run(ScriptCall.take(draw, before.epoch())); // and its answer is still on its way
    node.trip();
    node.awaitNext(before);

    late.expire();

    awaitRemaining(CAPACITY);
    await("a free slot", () -> Draws.take(node.counters(), Draws.slot("k", 1)) instanceof Taken);
  }

  @Test
  void anAnswerThatComesWhileNobodyAsksLeavesCountedWhatRuns() {
    Draw runs = Draws.slot("k", 1);
    assertThat(Draws.take(node.counters(), runs)).isInstanceOf(Taken.class);
    Up before = node.up();
    relay.delay(Duration.ofHours(1));
    node.trip();

    node.counters().took(Draws.slot("another", 1), before);
    Node other = node(process.url());

    assertThat(Draws.take(other.counters(), Draws.slot("k", 1))).isInstanceOf(Refused.class);
  }

  @Test
  void whatWasAskedOfAConnectionThatIsGoneComesBack() {
    Draw draw = Draws.slot("k", 1, tokens(600_000));
    Up before = node.up();
    run(ScriptCall.take(draw, before.epoch())); // as Redis did before the connection went
    before.link().close();

    taking(draw, before).send();
    node.awaitNext(before);

    awaitRemaining(CAPACITY);
    await("a free slot", () -> Draws.take(node.counters(), Draws.slot("k", 1)) instanceof Taken);
  }

  @Test
  void whatANodeLetInAloneAfterItAskedInVainKeepsItsSlot() {
    Draw draw = Draws.slot("k", 1);
    Up before = node.up();
    before.link().close();

    taking(draw, before).send();
    node.counters().count(draw);
    node.awaitNext(before);
    Node other = node(process.url());

    assertThat(Draws.take(other.counters(), Draws.slot("k", 1))).isInstanceOf(Refused.class);
    node.counters().uncount(draw);
    await("a free slot", () -> Draws.take(other.counters(), Draws.slot("k", 1)) instanceof Taken);
  }

  @Test
  void anEndThatWasLostWithItsConnectionIsToldAgain() {
    Draw draw = Draws.slot("k", 1, tokens(600_000));
    assertThat(Draws.take(node.counters(), draw)).isInstanceOf(Taken.class);
    Up before = node.up();
    before.link().close();

    node.counters().end(draw, 100_000);
    node.awaitNext(before);

    awaitRemaining(900_000);
  }

  @Test
  void whatWasStatedInVainBeforeItEndedIsCorrectedToo() {
    Draw draw = Draws.slot("k", 1, tokens(600_000));
    assertThat(Draws.take(node.counters(), draw)).isInstanceOf(Taken.class);
    Up before = node.up();
    relay.delayFrom(Script.RESTATE.digest(), TIMEOUT.multipliedBy(2));
    node.trip();
    await("it is stated", () -> !commands.hexists(members(before), draw.request().value()));

    node.counters().end(draw, 100_000);
    relay.delayFrom("never", Duration.ZERO);
    relay.delay(Duration.ZERO);
    node.awaitNext(before);

    awaitRemaining(900_000);
    assertThat(Draws.take(node.counters(), Draws.slot("k", 1))).isInstanceOf(Taken.class);
  }

  private static String members(Up up) {
    return ScriptCall.members(up.epoch());
  }

  private Taking taking(Draw draw, Up up) {
    var answer = new AtomicReference<Drawn>();
    return new Taking(draw, up, System.nanoTime(), Runnable::run, answer::set, node.counters());
  }

  private void run(ScriptCall call) {
    List<Long> _ =
        commands.eval(
            call.script().text(),
            ScriptOutputType.MULTI,
            call.keys().toArray(String[]::new),
            call.arguments().toArray(String[]::new));
  }

  /** Long before as much has flowed in. */
  private void awaitRemaining(long least) {
    await(least + " tokens", () -> remaining(tokens(0)) >= least);
  }

  private long remaining(Take look) {
    return switch (Draws.take(node.counters(), Draws.without(look))) {
      case Taken taken -> taken.levels().stream().mapToLong(Level::remaining).sum();
      case Refused _ -> throw new AssertionError("a look is refused");
      case Unavailable _ -> 0;
    };
  }

  private static Take tokens(long amount) {
    return Draws.of(Scope.KEY, "t", Unit.TOKENS_PER_MINUTE, CAPACITY, amount);
  }

  private static void await(String what, BooleanSupplier holds) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
    }
  }
}
