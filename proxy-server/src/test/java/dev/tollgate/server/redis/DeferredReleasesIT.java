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
import dev.tollgate.server.redis.ConnectionState.Down;
import dev.tollgate.server.redis.ConnectionState.Up;
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

/** Releases and undos while a real Redis is down: nothing is lost. */
@Isolated
class DeferredReleasesIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(1); // other processes use the CPU, too
  private static final long CAPACITY = 1_000_000; // refills by 17,000 each second

  private final RedisProcess process = RedisProcess.start();
  private final SlowRelay relay = new SlowRelay(process);
  private final RedisClient raw = RedisClient.create(process.url());
  private final RedisCommands<String, String> commands = raw.connect().sync();
  private final List<Node> nodes = new ArrayList<>();
  private final Node node = node(relay.url());

  /** Circuit with its counters. */
  private record Node(
      RedisConnector client,
      EventExecutor clock,
      FailureCounts figures,
      RedisCircuit circuit,
      SharedCounters counters) {
    static Node at(String url) {
      var client = new RedisConnector(RedisAddress.parse(new Secret(url)));
      var clock = new DefaultEventExecutor();
      var observer = new FailureCounts();
      var permits = new ActivePermits();
      var circuit = new RedisCircuit(client, clock, TIMEOUT, permits, observer, "no fallback");
      var counters = new SharedCounters(circuit, permits, observer);
      assertThat(circuit.start().orTimeout(10, TimeUnit.SECONDS).join())
          .isEqualTo(new RedisCircuit.ConnectResult.Connected());
      return new Node(client, clock, observer, circuit, counters);
    }

    void close() {
      circuit.close();
      client.close();
      var _ = clock.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    Up up() {
      return (Up) circuit.connectionState();
    }

    /** Opens the circuit until a probe is answered. */
    void trip() {
      circuit.failed(
          up(), new RedisReply.Failed(RedisFailure.DISCONNECTED, "the test opens it", 0));
    }

    void awaitNext(Up before) {
      await(
          "another epoch",
          () ->
              circuit.connectionState() instanceof Up now
                  && !now.epoch().equals(before.epoch())
                  && !now.inRestateGrace());
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
  void releasesOfAnOutageAreAppliedOnceRedisAnswers() {
    Acquire acquire = AcquireCalls.slot("k", 1, tokens(600_000));
    Acquire overrun =
        AcquireCalls.slot(
            "other", 1, AcquireCalls.of(LimitScope.KEY, "o", Unit.TOKENS_PER_MINUTE, 9, 1));
    assertThat(AcquireCalls.take(node.counters(), acquire)).isInstanceOf(AllAcquired.class);
    assertThat(AcquireCalls.take(node.counters(), overrun)).isInstanceOf(AllAcquired.class);
    Up before = node.up();
    process.freeze();
    node.trip();

    node.counters().end(acquire, 100_000);
    node.counters().end(overrun, 900);
    assertThat(node.circuit().connectionState()).isInstanceOf(Down.class);
    process.thaw();
    node.awaitNext(before);

    awaitRemaining(900_000);
    await(
        "an overrun",
        () -> remaining(AcquireCalls.of(LimitScope.KEY, "o", Unit.TOKENS_PER_MINUTE, 9, 0)) < 0);
    assertThat(AcquireCalls.take(node.counters(), AcquireCalls.slot("k", 1)))
        .isInstanceOf(AllAcquired.class);
  }

  @Test
  void anUndoAfterTheEndOfItsEpochIsApplied() {
    Acquire acquire = AcquireCalls.slot("k", 1, tokens(600_000));
    Up before = node.up();
    var late = taking(acquire, before);
    run(ScriptCall.acquire(acquire, before.epoch())); // and its answer is still in flight
    node.trip();
    node.awaitNext(before);

    late.done(new RedisReply.Failed(RedisFailure.TIMEOUT, "late", 0));

    awaitRemaining(CAPACITY);
    await(
        "a free slot",
        () -> AcquireCalls.take(node.counters(), AcquireCalls.slot("k", 1)) instanceof AllAcquired);
  }

  @Test
  void aLateAnswerDuringAnOutageKeepsItsRequestCounted() {
    Acquire runs = AcquireCalls.slot("k", 1);
    assertThat(AcquireCalls.take(node.counters(), runs)).isInstanceOf(AllAcquired.class);
    Up before = node.up();
    relay.delay(Duration.ofHours(1));
    node.trip();

    node.counters().acquired(AcquireCalls.slot("another", 1), before);
    Node other = node(process.url());

    assertThat(AcquireCalls.take(other.counters(), AcquireCalls.slot("k", 1)))
        .isInstanceOf(Refused.class);
  }

  @Test
  void anAcquireOnAClosedConnectionIsUndone() {
    Acquire acquire = AcquireCalls.slot("k", 1, tokens(600_000));
    Up before = node.up();
    run(ScriptCall.acquire(acquire, before.epoch())); // as Redis did before the disconnect
    before.link().close();

    taking(acquire, before).send();
    node.awaitNext(before);

    awaitRemaining(CAPACITY);
    await(
        "a free slot",
        () -> AcquireCalls.take(node.counters(), AcquireCalls.slot("k", 1)) instanceof AllAcquired);
  }

  @Test
  void aLocalSlotAfterATimeoutIsKept() {
    Acquire acquire = AcquireCalls.slot("k", 1);
    Up before = node.up();
    before.link().close();

    taking(acquire, before).send();
    node.counters().countSlot(acquire);
    node.awaitNext(before);
    Node other = node(process.url());

    assertThat(AcquireCalls.take(other.counters(), AcquireCalls.slot("k", 1)))
        .isInstanceOf(Refused.class);
    node.counters().uncountSlot(acquire);
    await(
        "a free slot",
        () ->
            AcquireCalls.take(other.counters(), AcquireCalls.slot("k", 1)) instanceof AllAcquired);
  }

  @Test
  void aReleaseThatWasLostWithItsConnectionIsRepeated() {
    Acquire acquire = AcquireCalls.slot("k", 1, tokens(600_000));
    assertThat(AcquireCalls.take(node.counters(), acquire)).isInstanceOf(AllAcquired.class);
    Up before = node.up();
    before.link().close();

    node.counters().end(acquire, 100_000);
    node.awaitNext(before);

    awaitRemaining(900_000);
  }

  @Test
  void aRequestThatEndsAfterAFailedRestatementIsCorrected() {
    Acquire acquire = AcquireCalls.slot("k", 1, tokens(600_000));
    assertThat(AcquireCalls.take(node.counters(), acquire)).isInstanceOf(AllAcquired.class);
    Up before = node.up();
    relay.delayFrom(RedisScript.RESTATE.digest(), TIMEOUT.multipliedBy(2));
    node.trip();
    await("it is stated", () -> !commands.hexists(members(before), acquire.request().value()));

    node.counters().end(acquire, 100_000);
    relay.delayFrom("never", Duration.ZERO);
    relay.delay(Duration.ZERO);
    node.awaitNext(before);

    awaitRemaining(900_000);
    assertThat(AcquireCalls.take(node.counters(), AcquireCalls.slot("k", 1)))
        .isInstanceOf(AllAcquired.class);
  }

  private static String members(Up up) {
    return ScriptCall.members(up.epoch());
  }

  private PendingAcquire taking(Acquire acquire, Up up) {
    var answer = new AtomicReference<AcquireResult>();
    return new PendingAcquire(
        acquire, up, System.nanoTime(), Runnable::run, answer::set, node.counters());
  }

  private void run(ScriptCall call) {
    List<Long> _ =
        commands.eval(
            call.script().text(),
            ScriptOutputType.MULTI,
            call.keys().toArray(String[]::new),
            call.arguments().toArray(String[]::new));
  }

  /** Awaits a level long before it could refill. */
  private void awaitRemaining(long least) {
    await(least + " tokens", () -> remaining(tokens(0)) >= least);
  }

  private long remaining(BucketAmount probe) {
    return switch (AcquireCalls.take(node.counters(), AcquireCalls.without(probe))) {
      case AllAcquired taken -> taken.levels().stream().mapToLong(Level::remaining).sum();
      case Refused _ -> throw new AssertionError("a probe is refused");
      case Unavailable _ -> 0;
    };
  }

  private static BucketAmount tokens(long amount) {
    return AcquireCalls.of(LimitScope.KEY, "t", Unit.TOKENS_PER_MINUTE, CAPACITY, amount);
  }

  private static void await(String what, BooleanSupplier holds) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
    }
  }
}
