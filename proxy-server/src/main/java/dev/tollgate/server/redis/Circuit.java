package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Draw;
import dev.tollgate.server.redis.Standing.Down;
import dev.tollgate.server.redis.Standing.Up;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether Redis is asked. After failures in a row it is not: nobody waits, and this probes until it
 * answers again, on a new connection if the old one stays silent. Each time that it comes back the
 * node counts what it holds under a new epoch and lets the old one go, so that no slot is lost to
 * what was under way. All but reading the standing and reporting happens on one thread, the clock.
 */
final class Circuit {
  private static final Logger log = LoggerFactory.getLogger(Circuit.class);

  /** A node that lost two of these still lives for the others. */
  static final Duration BEAT = ScriptCall.LEASE.dividedBy(4);

  private static final int FAILURES_MAX = 3;
  private static final Duration PROBE = Duration.ofMillis(100);
  private static final Duration RECONNECT = Duration.ofMillis(250);

  /** Of a connection that is silent for that long, a new one may find another server. */
  private static final int PROBES_MAX = 20;

  private final Client client;
  private final EventExecutor clock;
  private final Duration timeout;
  private final Held held;
  private final Figures figures;
  private final String withoutIt;
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicReference<Standing> standing =
      new AtomicReference<>(new Down("Redis was not reached yet"));
  private final CompletableFuture<First> first = new CompletableFuture<>();
  private final String node = Long.toString(ThreadLocalRandom.current().nextLong(1L << 48), 36);
  private int epochs;
  private String epochBefore = ScriptCall.NO_EPOCH;
  private boolean saidDown;
  private volatile boolean closed;

  /** What came of the first try. */
  sealed interface First {
    record Reached() implements First {}

    record NotReached(String reason) implements First {}

    /** It is a cluster, which this cannot work with. */
    record Cluster() implements First {}
  }

  /**
   * A circuit that has not begun.
   *
   * @param withoutIt what becomes of requests meanwhile, for the log
   */
  Circuit(
      Client client,
      EventExecutor clock,
      Duration timeout,
      Held held,
      Figures figures,
      String withoutIt) {
    this.client = client;
    this.clock = clock;
    this.timeout = timeout;
    this.held = held;
    this.figures = figures;
    this.withoutIt = withoutIt;
  }

  /** Begins to connect, and goes on until closed. */
  CompletableFuture<First> start() {
    clock.execute(this::connect);
    return first;
  }

  Standing standing() {
    return Objects.requireNonNull(standing.get());
  }

  /** How many calls wait for answers. */
  int calls() {
    return calls.get();
  }

  /** A call was answered. For any thread. */
  static void succeeded(Up up) {
    if (up.failures().get() != 0) {
      up.failures().set(0);
    }
  }

  /** A call was not. For any thread. */
  void failed(Up up, Failure why, String reason) {
    figures.failed(why);
    boolean now =
        switch (why) {
          case DISCONNECTED -> true;
          case TIMEOUT, REFUSED -> up.failures().incrementAndGet() >= FAILURES_MAX;
          case QUEUE_FULL, DOWN -> false;
        };
    if (now) {
      trip(up, reason);
    }
  }

  /** Counts a draw under the epoch of now, that was taken under one that went meanwhile. */
  void restate(Draw draw, String before) {
    if (standing.get() instanceof Up up) {
      restate(up, List.of(draw), before);
    }
  }

  void close() {
    closed = true;
    switch (standing.getAndSet(new Down("the node ends"))) {
      case Up up -> up.link().forget(up.epoch());
      case Down _ -> {}
    }
  }

  private void connect() {
    assert clock.inEventLoop();
    if (closed) {
      return;
    }
    var opened = new AtomicReference<@Nullable Link>();
    client
        .connect(() -> clock.execute(() -> gone(opened.get())))
        .whenCompleteAsync(
            (connection, failure) -> {
              if (failure != null) {
                notReached("Redis is not reached: " + Look.deepest(failure));
                clock.schedule(this::connect, RECONNECT.toMillis(), TimeUnit.MILLISECONDS);
              } else {
                var link = new Link(connection, calls);
                opened.set(link);
                greet(link);
              }
            },
            clock);
  }

  private void greet(Link link) {
    link.load();
    link.isCluster()
        .toCompletableFuture()
        .orTimeout(Address.CONNECT.toMillis(), TimeUnit.MILLISECONDS)
        .whenCompleteAsync(
            (cluster, failure) -> {
              if (failure == null && cluster) {
                first.complete(new First.Cluster());
                notReached("it is a cluster, which limits cannot be kept in");
                retire(link);
              } else {
                probe(link, 1);
              }
            },
            clock);
  }

  private void probe(Link link, int tries) {
    assert clock.inEventLoop();
    if (closed) {
      link.close();
      return;
    }
    String epoch = nextEpoch();
    within(
        link,
        ScriptCall.beat(epoch),
        reply -> {
          switch (reply) {
            case Reply.Done _ -> up(link, epoch);
            case Reply.Failed failed -> {
              notReached(failed.reason());
              if (tries == PROBES_MAX || !link.isOpen()) {
                retire(link);
              } else {
                clock.schedule(
                    () -> probe(link, tries + 1), PROBE.toMillis(), TimeUnit.MILLISECONDS);
              }
            }
            case Reply.UnknownScript _ -> retire(link);
          }
        });
  }

  private void retire(Link link) {
    link.close();
    clock.schedule(this::connect, RECONNECT.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void up(Link link, String epoch) {
    saidDown = false;
    log.info("limits: Redis answers; all nodes share them");
    begin(new Up(link, epoch));
    first.complete(new First.Reached());
  }

  /** In this order: whoever is held when the epoch begins is stated here, or states itself. */
  private void begin(Up up) {
    String before = epochBefore;
    epochBefore = up.epoch();
    standing.set(up);
    if (closed) {
      close();
      return;
    }
    held.forBatches(batch -> restate(up, batch, before));
    up.link().forget(before); // what is left there has ended
    clock.schedule(() -> beat(up), BEAT.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void restate(Up up, List<Draw> draws, String before) {
    up.link().callSurely(ScriptCall.restate(draws, before, up.epoch()), uncertainUnlessDone(up));
    for (Draw draw : draws) {
      if (!held.contains(draw)) { // its end may have come before, and has corrected its tokens
        up.link().callSurely(ScriptCall.free(draw, up.epoch()), uncertainUnlessDone(up));
      }
    }
  }

  /** Ends that nobody waits for: if one is lost, the next epoch makes up for it. */
  Consumer<Reply> uncertainUnlessDone(Up up) {
    return reply -> {
      switch (reply) {
        case Reply.Done _ -> {}
        case Reply.Failed failed -> {
          up.uncertain().set(true);
          failed(up, failed.why(), failed.reason());
        }
        case Reply.UnknownScript _ -> up.uncertain().set(true);
      }
    };
  }

  private void beat(Up up) {
    assert clock.inEventLoop();
    if (!up.equals(standing.get())) {
      return;
    }
    boolean holding = !held.isEmpty();
    within(
        up.link(),
        ScriptCall.beat(up.epoch()),
        reply -> {
          switch (reply) {
            case Reply.Done done -> {
              succeeded(up);
              boolean lost = holding && done.values().equals(List.of(0L));
              if (lost || up.uncertain().get()) {
                renew(up);
                return;
              }
            }
            case Reply.Failed failed -> failed(up, failed.why(), failed.reason());
            case Reply.UnknownScript _ -> {}
          }
          clock.schedule(() -> beat(up), BEAT.toMillis(), TimeUnit.MILLISECONDS);
        });
  }

  /** Redis forgot the members, or may have ones that ended. */
  private void renew(Up up) {
    if (up.equals(standing.get())) {
      begin(new Up(up.link(), nextEpoch()));
    }
  }

  /** From any thread, and by whoever comes first. */
  private void trip(Up up, String reason) {
    if (standing.compareAndSet(up, new Down(reason))) {
      clock.execute(
          () -> {
            sayDown(reason);
            probe(up.link(), 1);
          });
    }
  }

  private void gone(@Nullable Link link) {
    if (link != null && standing.get() instanceof Up up && up.link().equals(link)) {
      trip(up, "the connection to Redis is gone");
    }
  }

  private void notReached(String reason) {
    if (!closed) {
      standing.set(new Down(reason));
      sayDown(reason);
      first.complete(new First.NotReached(reason));
    }
  }

  private void sayDown(String reason) {
    if (!saidDown && !closed) {
      saidDown = true;
      log.warn("limits: {}; until it answers, {}", reason, withoutIt);
    }
  }

  private String nextEpoch() {
    return node + "." + epochs++;
  }

  /** A call that is answered on the clock, and in time. */
  private void within(Link link, ScriptCall call, Consumer<Reply> whenDone) {
    var answer = new CompletableFuture<Reply>();
    link.callSurely(call, answer::complete);
    var late = new Reply.Failed(Failure.TIMEOUT, "Redis does not answer in time");
    var _ = answer.thenAcceptAsync(whenDone, clock);
    clock.schedule(() -> answer.complete(late), timeout.toNanos(), TimeUnit.NANOSECONDS);
  }
}
