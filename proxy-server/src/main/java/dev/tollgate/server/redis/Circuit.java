package dev.tollgate.server.redis;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.server.redis.Standing.Down;
import dev.tollgate.server.redis.Standing.Up;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether Redis is asked. After failures in a row it is not: nobody waits, and this probes until it
 * answers again, on a new connection if the old one stays silent. Each time that it comes back the
 * node first counts what it holds under a new epoch and lets the old one go, so that no slot is
 * lost to what was under way; after an outage in which others may have lost theirs it grants none
 * before they had the time to do the same. All but reading the standing and reporting happens on
 * one thread, the clock.
 */
final class Circuit {
  private static final Logger log = LoggerFactory.getLogger(Circuit.class);

  /** A node that lost two of these still lives for the others. */
  static final Duration BEAT = ScriptCall.LEASE.dividedBy(4);

  /**
   * All nodes find a Redis that answers again within three attempts to connect, and say at once
   * what they hold.
   */
  static final Duration SETTLE = Duration.ofSeconds(1);

  /** A node of which this much is left lost no more than one beat, and so did all others. */
  private static final long SIGN_LEFT_LEAST_MILLIS = 2 * BEAT.toMillis();

  private static final Duration SILENT_MOST = ScriptCall.LEASE.minus(BEAT.multipliedBy(2));

  private static final int FAILURES_MAX = 3;
  private static final Duration PROBE = Duration.ofMillis(100);
  private static final Duration RECONNECT = Duration.ofMillis(250);

  private static final int ABANDONED_MAX = (int) ScriptCall.LEASE.dividedBy(PROBE);

  /** Of a connection that is silent for that long, a new one may find another server. */
  private static final int PROBES_MAX = 20;

  private final Client client;
  private final EventExecutor clock;
  private final Duration timeout;
  private final Held held;
  private final Ends ends;
  private final Figures figures;
  private final String withoutIt;
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicReference<Standing> standing =
      new AtomicReference<>(new Down("Redis was not reached yet"));
  private final CompletableFuture<First> first = new CompletableFuture<>();
  private final String node = Long.toString(ThreadLocalRandom.current().nextLong(1L << 48), 36);
  private int epochs;
  private String epochBefore = ScriptCall.NO_EPOCH;

  /** Under which a part was stated, or maybe, before it failed again. */
  private final List<String> abandoned = new ArrayList<>();

  /** When a beat was answered last. */
  private long heardNanos;

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
    this.ends = new Ends(this, clock, held, figures);
    this.figures = figures;
    this.withoutIt = withoutIt;
    this.heardNanos = clock.ticker().nanoTime() - ScriptCall.LEASE.toNanos();
  }

  /** Begins to connect, and goes on until closed. */
  CompletableFuture<First> start() {
    clock.execute(this::connect);
    return first;
  }

  Standing standing() {
    return Objects.requireNonNull(standing.get());
  }

  /** Who tells it what ended. */
  Ends ends() {
    return ends;
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
          case QUEUE_FULL, DOWN, END_DROPPED -> false;
        };
    if (now) {
      trip(up, reason);
    }
  }

  /** Counts a draw under the epoch of now, that was taken under one that went meanwhile. */
  void restate(Draw draw, String before) {
    if (standing.get() instanceof Up up) {
      restate(up, List.of(draw), before);
    } // else it is among those that are stated before the next is up
  }

  void close() {
    closed = true;
    switch (standing.getAndSet(new Down("the node ends"))) {
      case Up up -> {
        up.link().forget(up.epoch());
        up.link().forget(up.before());
      }
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
            case Reply.Done done -> {
              var settling = new AtomicBoolean(saidDown && othersMayBeLost(done));
              var up = new Up(link, epoch, epochBefore, settling);
              state(up, held.batchesWithout(Set.of()), 0, tries);
            }
            case Reply.Failed failed -> probeAgain(link, tries, failed.reason());
            case Reply.UnknownScript _ -> retire(link);
          }
        });
  }

  /**
   * By two clocks: that of Redis knows also of a memory that was lost, but what it did at last may
   * be to read signs that were sent while it stood still.
   */
  private boolean othersMayBeLost(Reply.Done beat) {
    return beat.values().getLast() < SIGN_LEFT_LEAST_MILLIS
        || clock.ticker().nanoTime() - heardNanos > SILENT_MOST.toNanos();
  }

  private void probeAgain(Link link, int tries, String reason) {
    notReached(reason);
    if (tries == PROBES_MAX || !link.isOpen()) {
      retire(link);
    } else {
      clock.schedule(() -> probe(link, tries + 1), PROBE.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** Nobody is let in before Redis knows all that runs here already. */
  private void state(Up up, List<List<Draw>> batches, int next, int tries) {
    if (next == batches.size()) {
      up(up, batches.stream().flatMap(List::stream).toList());
      return;
    }
    within(
        up.link(),
        ScriptCall.restate(batches.get(next), up.before(), up.epoch()),
        reply -> {
          switch (reply) {
            case Reply.Done _ -> state(up, batches, next + 1, tries);
            case Reply.Failed failed -> {
              abandon(up);
              probeAgain(up.link(), tries, failed.reason());
            }
            case Reply.UnknownScript _ -> {
              abandon(up);
              retire(up.link());
            }
          }
        });
  }

  private void retire(Link link) {
    link.close();
    clock.schedule(this::connect, RECONNECT.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void abandon(Up up) {
    abandoned.add(up.epoch());
    if (abandoned.size() > ABANDONED_MAX) {
      abandoned.removeFirst(); // its members' lease is over
    }
  }

  private void up(Up up, List<Draw> stated) {
    saidDown = false;
    if (up.settling().get()) {
      log.info(
          "limits: Redis answers; all nodes share them, in {} s also slots", SETTLE.toSeconds());
      clock.schedule(() -> up.settling().set(false), SETTLE.toNanos(), TimeUnit.NANOSECONDS);
    } else {
      log.info("limits: Redis answers; all nodes share them");
    }
    heardNanos = clock.ticker().nanoTime();
    begin(up, stated);
    first.complete(new First.Reached());
  }

  /**
   * In this order: whoever is held when the epoch begins was stated, is stated here, or states
   * itself.
   */
  private void begin(Up up, List<Draw> stated) {
    epochBefore = up.epoch();
    standing.set(up);
    if (closed) {
      close();
      return;
    }
    ends.tellWaiting(up, List.copyOf(abandoned));
    freeEnded(up, stated); // meanwhile, also those that found no room to wait
    Set<RequestId> known = stated.stream().map(Draw::request).collect(Collectors.toSet());
    held.batchesWithout(known).forEach(batch -> restate(up, batch, up.before()));
    forgetLater(up.link(), up.before());
    abandoned.forEach(up.link()::forget);
    abandoned.clear();
    clock.schedule(() -> beat(up), BEAT.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Lets an epoch's members go, of which all ended that are left. Until the last that was asked
   * under it is answered or given back, they say what it took. For any thread.
   */
  void forgetLater(Link link, String epoch) {
    if (closed) {
      link.forget(epoch);
      return;
    }
    clock.schedule(
        () -> {
          if (!epoch.equals(epochBefore)) { // else its members have yet to be moved to the next
            (standing.get() instanceof Up up ? up.link() : link).forget(epoch);
          }
        },
        2 * timeout.toNanos(),
        TimeUnit.NANOSECONDS);
  }

  private void restate(Up up, List<Draw> draws, String before) {
    up.link().callSurely(ScriptCall.restate(draws, before, up.epoch()), uncertainUnlessDone(up));
    freeEnded(up, draws); // before they were restated, which corrected their tokens
  }

  private void freeEnded(Up up, List<Draw> draws) {
    for (Draw draw : draws) {
      if (!held.contains(draw)) {
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
              heardNanos = clock.ticker().nanoTime();
              boolean lost = holding && done.values().getFirst() == 0;
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
      begin(new Up(up.link(), nextEpoch(), up.epoch(), up.settling()), List.of());
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
