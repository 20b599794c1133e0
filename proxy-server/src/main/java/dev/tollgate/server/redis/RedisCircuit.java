package dev.tollgate.server.redis;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.server.redis.ConnectionState.Down;
import dev.tollgate.server.redis.ConnectionState.Up;
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
final class RedisCircuit {
  private static final Logger log = LoggerFactory.getLogger(RedisCircuit.class);

  /** A node that lost two of these still lives for the others. */
  static final Duration HEARTBEAT = ScriptCall.LEASE.dividedBy(4);

  /**
   * All nodes find a Redis that answers again within three attempts to connect, and say at once
   * what they hold.
   */
  static final Duration RESTATE_GRACE = Duration.ofSeconds(1);

  /** A node of which this much is left lost no more than one beat, and so did all others. */
  private static final long HEARTBEAT_TTL_MIN_MILLIS = 2 * HEARTBEAT.toMillis();

  private static final Duration NO_RESPONSE_MAX = ScriptCall.LEASE.minus(HEARTBEAT.multipliedBy(2));

  private static final int FAILURES_MAX = 3;
  private static final Duration PROBE = Duration.ofMillis(100);
  private static final Duration RECONNECT = Duration.ofMillis(250);

  private static final int ABANDONED_MAX = (int) ScriptCall.LEASE.dividedBy(PROBE);

  /** Of a connection that is silent for that long, a new one may find another server. */
  private static final int PROBES_MAX = 20;

  private final RedisConnector client;
  private final EventExecutor clock;
  private final Duration timeout;
  private final HeldPermits permits;
  private final ReleaseQueue releases;
  private final RedisObserver observer;
  private final String fallbackText;
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicReference<ConnectionState> connectionState =
      new AtomicReference<>(new Down("Redis was not reached yet"));
  private final CompletableFuture<ConnectResult> firstConnect = new CompletableFuture<>();
  private final String node = Long.toString(ThreadLocalRandom.current().nextLong(1L << 48), 36);
  private int epochs;
  private String lastEpoch = ScriptCall.NO_EPOCH;

  /** Under which a part was stated, or maybe, before it failed again. */
  private final List<String> abandoned = new ArrayList<>();

  /** When a beat was answered last. */
  private long heartbeatNanos;

  private boolean downLogged;
  private volatile boolean closed;

  /** What came of the first try. */
  sealed interface ConnectResult {
    record Connected() implements ConnectResult {}

    record ConnectFailed(String reason) implements ConnectResult {}

    /** It is a cluster, which this cannot work with. */
    record Cluster() implements ConnectResult {}
  }

  /**
   * A circuit that has not begun.
   *
   * @param fallbackText what becomes of requests meanwhile, for the log
   */
  RedisCircuit(
      RedisConnector client,
      EventExecutor clock,
      Duration timeout,
      HeldPermits permits,
      RedisObserver observer,
      String fallbackText) {
    this.client = client;
    this.clock = clock;
    this.timeout = timeout;
    this.permits = permits;
    this.releases = new ReleaseQueue(this, clock, permits, observer);
    this.observer = observer;
    this.fallbackText = fallbackText;
    this.heartbeatNanos = clock.ticker().nanoTime() - ScriptCall.LEASE.toNanos();
  }

  /** Begins to connect, and goes on until closed. */
  CompletableFuture<ConnectResult> start() {
    clock.execute(this::connect);
    return firstConnect;
  }

  ConnectionState connectionState() {
    return Objects.requireNonNull(connectionState.get());
  }

  /** Who tells it what ended. */
  ReleaseQueue releases() {
    return releases;
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
  void failed(Up up, RedisFailure why, String reason) {
    observer.failed(why);
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
  void restate(Acquire acquire, String previousEpoch) {
    if (connectionState.get() instanceof Up up) {
      restate(up, List.of(acquire), previousEpoch);
    } // else it is among those that are stated before the next is up
  }

  void close() {
    closed = true;
    switch (connectionState.getAndSet(new Down("the node ends"))) {
      case Up up -> {
        up.link().dropEpoch(up.epoch());
        up.link().dropEpoch(up.previousEpoch());
      }
      case Down _ -> {}
    }
  }

  private void connect() {
    assert clock.inEventLoop();
    if (closed) {
      return;
    }
    var opened = new AtomicReference<@Nullable RedisConnection>();
    client
        .connect(() -> clock.execute(() -> disconnected(opened.get())))
        .whenCompleteAsync(
            (connection, failure) -> {
              if (failure != null) {
                connectFailed("Redis is not reached: " + RedisProbe.rootCauseMessage(failure));
                clock.schedule(this::connect, RECONNECT.toMillis(), TimeUnit.MILLISECONDS);
              } else {
                var link = new RedisConnection(connection, calls);
                opened.set(link);
                handshake(link);
              }
            },
            clock);
  }

  private void handshake(RedisConnection link) {
    link.loadScripts();
    link.isCluster()
        .toCompletableFuture()
        .orTimeout(RedisAddress.CONNECT.toMillis(), TimeUnit.MILLISECONDS)
        .whenCompleteAsync(
            (cluster, failure) -> {
              if (failure == null && cluster) {
                firstConnect.complete(new ConnectResult.Cluster());
                connectFailed("it is a cluster, which limits cannot be kept in");
                retire(link);
              } else {
                probe(link, 1);
              }
            },
            clock);
  }

  private void probe(RedisConnection link, int attempts) {
    assert clock.inEventLoop();
    if (closed) {
      link.close();
      return;
    }
    String epoch = nextEpoch();
    callWithTimeout(
        link,
        ScriptCall.heartbeat(epoch),
        reply -> {
          switch (reply) {
            case RedisReply.Done done -> {
              var settling = new AtomicBoolean(downLogged && othersMayBeLost(done));
              var up = new Up(link, epoch, lastEpoch, settling);
              restateHeld(up, permits.batchesWithout(Set.of()), 0, attempts);
            }
            case RedisReply.Failed failed -> probeAgain(link, attempts, failed.reason());
            case RedisReply.UnknownScript _ -> retire(link);
          }
        });
  }

  /**
   * By two clocks: that of Redis knows also of a memory that was lost, but what it did at last may
   * be to read signs that were sent while it stood still.
   */
  private boolean othersMayBeLost(RedisReply.Done beat) {
    return beat.values().getLast() < HEARTBEAT_TTL_MIN_MILLIS
        || clock.ticker().nanoTime() - heartbeatNanos > NO_RESPONSE_MAX.toNanos();
  }

  private void probeAgain(RedisConnection link, int attempts, String reason) {
    connectFailed(reason);
    if (attempts == PROBES_MAX || !link.isOpen()) {
      retire(link);
    } else {
      clock.schedule(() -> probe(link, attempts + 1), PROBE.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** Nobody is let in before Redis knows all that runs here already. */
  private void restateHeld(Up up, List<List<Acquire>> batches, int next, int attempts) {
    if (next == batches.size()) {
      connected(up, batches.stream().flatMap(List::stream).toList());
      return;
    }
    callWithTimeout(
        up.link(),
        ScriptCall.restate(batches.get(next), up.previousEpoch(), up.epoch()),
        reply -> {
          switch (reply) {
            case RedisReply.Done _ -> restateHeld(up, batches, next + 1, attempts);
            case RedisReply.Failed failed -> {
              abandon(up);
              probeAgain(up.link(), attempts, failed.reason());
            }
            case RedisReply.UnknownScript _ -> {
              abandon(up);
              retire(up.link());
            }
          }
        });
  }

  private void retire(RedisConnection link) {
    link.close();
    clock.schedule(this::connect, RECONNECT.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void abandon(Up up) {
    abandoned.add(up.epoch());
    if (abandoned.size() > ABANDONED_MAX) {
      abandoned.removeFirst(); // its members' lease is over
    }
  }

  private void connected(Up up, List<Acquire> stated) {
    downLogged = false;
    if (up.settling().get()) {
      log.info(
          "limits: Redis answers; all nodes share them, in {} s also slots",
          RESTATE_GRACE.toSeconds());
      clock.schedule(() -> up.settling().set(false), RESTATE_GRACE.toNanos(), TimeUnit.NANOSECONDS);
    } else {
      log.info("limits: Redis answers; all nodes share them");
    }
    heartbeatNanos = clock.ticker().nanoTime();
    beginEpoch(up, stated);
    firstConnect.complete(new ConnectResult.Connected());
  }

  /**
   * In this order: whoever is held when the epoch begins was stated, is stated here, or states
   * itself.
   */
  private void beginEpoch(Up up, List<Acquire> stated) {
    lastEpoch = up.epoch();
    connectionState.set(up);
    if (closed) {
      close();
      return;
    }
    releases.sendWaiting(up, List.copyOf(abandoned));
    freeEnded(up, stated); // meanwhile, also those that found no room to wait
    Set<RequestId> known = stated.stream().map(Acquire::request).collect(Collectors.toSet());
    permits.batchesWithout(known).forEach(batch -> restate(up, batch, up.previousEpoch()));
    dropEpochLater(up.link(), up.previousEpoch());
    abandoned.forEach(up.link()::dropEpoch);
    abandoned.clear();
    clock.schedule(() -> heartbeat(up), HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Lets an epoch's members go, of which all ended that are left. Until the last that was asked
   * under it is answered or given back, they say what it took. For any thread.
   */
  void dropEpochLater(RedisConnection link, String epoch) {
    if (closed) {
      link.dropEpoch(epoch);
      return;
    }
    clock.schedule(
        () -> {
          if (!epoch.equals(lastEpoch)) { // else its members have yet to be moved to the next
            (connectionState.get() instanceof Up up ? up.link() : link).dropEpoch(epoch);
          }
        },
        2 * timeout.toNanos(),
        TimeUnit.NANOSECONDS);
  }

  private void restate(Up up, List<Acquire> acquires, String previousEpoch) {
    up.link()
        .callOrEval(
            ScriptCall.restate(acquires, previousEpoch, up.epoch()), uncertainUnlessDone(up));
    freeEnded(up, acquires); // before they were restated, which corrected their tokens
  }

  private void freeEnded(Up up, List<Acquire> acquires) {
    for (Acquire acquire : acquires) {
      if (!permits.contains(acquire)) {
        up.link().callOrEval(ScriptCall.free(acquire, up.epoch()), uncertainUnlessDone(up));
      }
    }
  }

  /** Ends that nobody waits for: if one is lost, the next epoch makes up for it. */
  Consumer<RedisReply> uncertainUnlessDone(Up up) {
    return reply -> {
      switch (reply) {
        case RedisReply.Done _ -> {}
        case RedisReply.Failed failed -> {
          up.uncertain().set(true);
          failed(up, failed.why(), failed.reason());
        }
        case RedisReply.UnknownScript _ -> up.uncertain().set(true);
      }
    };
  }

  private void heartbeat(Up up) {
    assert clock.inEventLoop();
    if (!up.equals(connectionState.get())) {
      return;
    }
    boolean hadPermits = !permits.isEmpty();
    callWithTimeout(
        up.link(),
        ScriptCall.heartbeat(up.epoch()),
        reply -> {
          switch (reply) {
            case RedisReply.Done done -> {
              succeeded(up);
              heartbeatNanos = clock.ticker().nanoTime();
              boolean lost = hadPermits && done.values().getFirst() == 0;
              if (lost || up.uncertain().get()) {
                renewEpoch(up);
                return;
              }
            }
            case RedisReply.Failed failed -> failed(up, failed.why(), failed.reason());
            case RedisReply.UnknownScript _ -> {}
          }
          clock.schedule(() -> heartbeat(up), HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
        });
  }

  /** Redis forgot the members, or may have ones that ended. */
  private void renewEpoch(Up up) {
    if (up.equals(connectionState.get())) {
      beginEpoch(new Up(up.link(), nextEpoch(), up.epoch(), up.settling()), List.of());
    }
  }

  /** From any thread, and by whoever comes first. */
  private void trip(Up up, String reason) {
    if (connectionState.compareAndSet(up, new Down(reason))) {
      clock.execute(
          () -> {
            logDown(reason);
            probe(up.link(), 1);
          });
    }
  }

  private void disconnected(@Nullable RedisConnection link) {
    if (link != null && connectionState.get() instanceof Up up && up.link().equals(link)) {
      trip(up, "the connection to Redis is gone");
    }
  }

  private void connectFailed(String reason) {
    if (!closed) {
      connectionState.set(new Down(reason));
      logDown(reason);
      firstConnect.complete(new ConnectResult.ConnectFailed(reason));
    }
  }

  private void logDown(String reason) {
    if (!downLogged && !closed) {
      downLogged = true;
      log.warn("limits: {}; until it answers, {}", reason, fallbackText);
    }
  }

  private String nextEpoch() {
    return node + "." + epochs++;
  }

  /** A call that is answered on the clock, and in time. */
  private void callWithTimeout(
      RedisConnection link, ScriptCall call, Consumer<RedisReply> whenDone) {
    var answer = new CompletableFuture<RedisReply>();
    link.callOrEval(call, answer::complete);
    var late = new RedisReply.Failed(RedisFailure.TIMEOUT, "Redis does not answer in time");
    var _ = answer.thenAcceptAsync(whenDone, clock);
    clock.schedule(() -> answer.complete(late), timeout.toNanos(), TimeUnit.NANOSECONDS);
  }
}
