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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Circuit breaker for calls to Redis. After failures in a row Redis is not called, so that no
 * request waits; a probe repeats until Redis answers, on a new connection if the old one does not
 * respond. When Redis answers again, the node first restates what it holds under a new epoch and
 * drops the old one, so that calls with an unknown outcome leave no slot behind. After an outage no
 * slot is granted until Redis has counted for a second without a gap, in which other nodes restate
 * slots that were lost. The state is read and failures are reported on any thread; everything else
 * runs on one thread, the clock.
 */
final class RedisCircuit {
  private static final Logger LOG = LoggerFactory.getLogger(RedisCircuit.class);

  /** Interval of heartbeats. A node that missed two of them still counts as live. */
  static final Duration HEARTBEAT = ScriptCall.LEASE.dividedBy(4);

  /** Time from when Redis counts again in which all nodes reconnect and restate their slots. */
  static final Duration RESTATE_GRACE = Duration.ofSeconds(1);

  /** Pause before the next probe, or the next attempt to connect. */
  private static final Duration RETRY = Duration.ofMillis(100);

  private static final int ABANDONED_MAX = (int) ScriptCall.LEASE.dividedBy(RETRY);

  /**
   * Probes without a response after which a new connection is opened, which may reach another
   * server.
   */
  private static final int PROBES_MAX = 20;

  private final RedisConnector client;
  private final EventExecutor clock;
  private final Duration timeout;
  private final ActivePermits permits;
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

  /**
   * Epochs under which acquisitions may be restated, because a restart of the circuit failed
   * midway.
   */
  private final List<String> abandoned = new ArrayList<>();

  /** Since when Redis counts without a gap, by its clock, as of the last probe. */
  private long countedSince = -1;

  private long slotsFromNanos;
  private boolean downLogged;
  private boolean clusterLogged;
  private volatile boolean closed;

  /**
   * First definite result of connecting. A timeout is none: this node may be the one that is late.
   */
  sealed interface ConnectResult {
    /** Redis is used, also for slots. */
    record Connected() implements ConnectResult {}

    record ConnectFailed(String reason) implements ConnectResult {}

    /** The server is part of a cluster, which is not supported. */
    record Cluster() implements ConnectResult {}
  }

  /**
   * Creates a circuit, which {@link #start} starts.
   *
   * @param fallbackText how requests are handled while Redis is down, for the log
   */
  RedisCircuit(
      RedisConnector client,
      EventExecutor clock,
      Duration timeout,
      ActivePermits permits,
      RedisObserver observer,
      String fallbackText) {
    this.client = client;
    this.clock = clock;
    this.timeout = timeout;
    this.permits = permits;
    this.releases = new ReleaseQueue(this, clock, permits, observer);
    this.observer = observer;
    this.fallbackText = fallbackText;
  }

  /** Begins to connect, with retries until closed. */
  CompletableFuture<ConnectResult> start() {
    clock.execute(this::connect);
    return firstConnect;
  }

  ConnectionState connectionState() {
    return Objects.requireNonNull(connectionState.get());
  }

  /** Returns the queue of releases. */
  ReleaseQueue releases() {
    return releases;
  }

  /** Returns the number of calls that wait for answers. */
  int calls() {
    return calls.get();
  }

  /** Records an answered call. From any thread. */
  static void succeeded(Up up) {
    if (!FailureRun.NONE.equals(up.failures().get())) {
      up.failures().set(FailureRun.NONE);
    }
  }

  /** Records a failed call. From any thread. */
  void failed(Up up, RedisReply.Failed failed) {
    observer.failed(failed.why());
    boolean now =
        switch (failed.why()) {
          case DISCONNECTED -> true;
          case TIMEOUT ->
              up.failures()
                  .updateAndGet(run -> run.withTimeout(failed.sentNanos(), timeout))
                  .isFull();
          case REFUSED -> up.failures().updateAndGet(FailureRun::withRefusal).isFull();
          case QUEUE_FULL, DOWN, END_DROPPED -> false;
        };
    if (now) {
      trip(up, failed.reason());
    }
  }

  /** Restates an acquisition under the present epoch, after its own epoch has ended. */
  void restate(Acquire acquire, String previousEpoch) {
    if (connectionState.get() instanceof Up up) {
      restate(up, List.of(acquire), previousEpoch);
    } // else it is restated before the next epoch begins
  }

  void close() {
    closed = true;
    switch (connectionState.getAndSet(new Down("the node is shutting down"))) {
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
                String reason = "Redis is not reached: " + RedisProbe.rootCauseMessage(failure);
                connectFailed(reason, RedisConnector.isTimeout(failure));
                clock.schedule(this::connect, RETRY.toMillis(), TimeUnit.MILLISECONDS);
              } else {
                var link = new RedisConnection(connection, client.loop(), timeout, calls);
                opened.set(link);
                link.loadScripts();
                handshake(link, 1);
              }
            },
            clock);
  }

  /** Asks whether it is a cluster until that is answered: no epoch begins before. */
  private void handshake(RedisConnection link, int attempts) {
    assert clock.inEventLoop();
    link.askIfClusterInTime(
        reply ->
            clock.execute(
                () -> {
                  switch (reply) {
                    case RedisReply.Done done when done.values().getFirst() == 1 -> refuse(link);
                    case RedisReply.Done _, RedisReply.UnknownScript _ -> probe(link, attempts);
                    case RedisReply.Failed failed when failed.why() == RedisFailure.REFUSED ->
                        probe(link, attempts); // a cluster refuses the scripts, too
                    case RedisReply.Failed failed ->
                        again(link, attempts, failed, () -> handshake(link, attempts + 1));
                  }
                }));
  }

  private void refuse(RedisConnection cluster) {
    firstConnect.complete(new ConnectResult.Cluster());
    downLogged &= clusterLogged; // it is logged also if Redis was down before
    clusterLogged = true;
    connectFailed("Redis Cluster is not supported", false);
    retire(cluster);
  }

  private void probe(RedisConnection link, int attempts) {
    assert clock.inEventLoop();
    if (closed) {
      link.close();
      return;
    }
    String epoch = nextEpoch();
    callInTime(
        link,
        ScriptCall.heartbeat(epoch),
        reply -> {
          switch (reply) {
            case RedisReply.Done done -> {
              var up = new Up(link, epoch, lastEpoch, slotsFromNanos(done, link.nowNanos()));
              restateHeld(up, permits.batchesWithout(Set.of()), 0, attempts);
            }
            case RedisReply.Failed failed ->
                again(link, attempts, failed, () -> probe(link, attempts + 1));
            case RedisReply.UnknownScript _ -> retire(link);
          }
        });
  }

  /**
   * Returns when all nodes have restated slots that Redis lost. It counts them from the first
   * heartbeat on that followed a loss of its memory, or a gap in which leases may have expired,
   * whichever node sent that.
   */
  private long slotsFromNanos(RedisReply.Done heartbeat, long nowNanos) {
    long since = heartbeat.values().get(1);
    if (since != countedSince) {
      long graceMillis = RESTATE_GRACE.toMillis();
      long leftMillis = Math.clamp(graceMillis - heartbeat.values().get(2), 0, graceMillis);
      countedSince = since;
      slotsFromNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(downLogged ? leftMillis : 0);
    }
    return slotsFromNanos;
  }

  private void again(
      RedisConnection link, int attempts, RedisReply.Failed failed, Runnable attempt) {
    connectFailed(failed.reason(), failed.why() == RedisFailure.TIMEOUT);
    if (attempts == PROBES_MAX || !link.isOpen()) {
      retire(link);
    } else {
      clock.schedule(attempt, RETRY.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** Restates all held acquisitions before any new one is granted. */
  private void restateHeld(Up up, List<List<Acquire>> batches, int next, int attempts) {
    if (next == batches.size()) {
      connected(up, batches.stream().flatMap(List::stream).toList());
      return;
    }
    callInTime(
        up.link(),
        ScriptCall.restate(batches.get(next), up.previousEpoch(), up.epoch()),
        reply -> {
          switch (reply) {
            case RedisReply.Done _ -> restateHeld(up, batches, next + 1, attempts);
            case RedisReply.Failed failed -> {
              abandon(up);
              again(up.link(), attempts, failed, () -> probe(up.link(), attempts + 1));
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
    clock.schedule(this::connect, RETRY.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void abandon(Up up) {
    abandoned.add(up.epoch());
    if (abandoned.size() > ABANDONED_MAX) {
      abandoned.removeFirst(); // its members' lease has expired
    }
  }

  private void connected(Up up, List<Acquire> stated) {
    downLogged = false;
    Duration grace = Duration.ofNanos(Math.max(0, up.slotsFromNanos() - up.link().nowNanos()));
    if (grace.isZero()) {
      LOG.info("limits: Redis answers; all nodes share them");
    } else {
      LOG.info(
          "limits: Redis answers; all nodes share them, in {} ms also slots", grace.toMillis());
    }
    beginEpoch(up, stated);
    clock.schedule(
        () -> firstConnect.complete(new ConnectResult.Connected()),
        grace.toNanos(),
        TimeUnit.NANOSECONDS);
  }

  /**
   * Begins an epoch. The order matters: every acquisition that is held when the epoch begins was
   * restated before, is restated here, or restates itself.
   */
  private void beginEpoch(Up up, List<Acquire> stated) {
    lastEpoch = up.epoch();
    connectionState.set(up);
    if (closed) {
      close();
      return;
    }
    releases.sendWaiting(up, List.copyOf(abandoned));
    freeEnded(up, stated); // those that ended meanwhile, even if their release was dropped
    Set<RequestId> known = stated.stream().map(Acquire::request).collect(Collectors.toSet());
    permits.batchesWithout(known).forEach(batch -> restate(up, batch, up.previousEpoch()));
    dropEpochLater(up.link(), up.previousEpoch());
    abandoned.forEach(up.link()::dropEpoch);
    abandoned.clear();
    clock.schedule(() -> heartbeat(up), HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Drops an epoch whose remaining members have all ended, after a delay: until the last call under
   * it is answered or undone, its members show what was taken. From any thread.
   */
  void dropEpochLater(RedisConnection link, String epoch) {
    if (closed) {
      link.dropEpoch(epoch);
      return;
    }
    clock.schedule(
        () -> {
          if (!epoch.equals(lastEpoch)) { // else its members are not moved to the next epoch yet
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
    freeEnded(
        up,
        acquires); // those that ended before the restatement; their release corrected the tokens
  }

  private void freeEnded(Up up, List<Acquire> acquires) {
    for (Acquire acquire : acquires) {
      if (!permits.contains(acquire)) {
        up.link().callOrEval(ScriptCall.free(acquire, up.epoch()), uncertainUnlessDone(up));
      }
    }
  }

  /**
   * Returns a callback for calls without a waiter: if one is lost, the state is uncertain and a new
   * epoch follows.
   */
  Consumer<RedisReply> uncertainUnlessDone(Up up) {
    return reply -> {
      switch (reply) {
        case RedisReply.Done _ -> {}
        case RedisReply.Failed failed -> {
          up.uncertain().set(true);
          failed(up, failed);
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
    callInTime(
        up.link(),
        ScriptCall.heartbeat(up.epoch()),
        reply -> {
          switch (reply) {
            case RedisReply.Done done -> {
              succeeded(up);
              boolean lost = hadPermits && done.values().getFirst() == 0;
              if (lost || up.uncertain().get()) {
                renewEpoch(up);
                return;
              }
            }
            case RedisReply.Failed failed -> failed(up, failed);
            case RedisReply.UnknownScript _ -> {}
          }
          clock.schedule(() -> heartbeat(up), HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
        });
  }

  /** Begins a new epoch, because Redis lost the members or may have ones that ended. */
  private void renewEpoch(Up up) {
    if (up.equals(connectionState.get())) {
      beginEpoch(new Up(up.link(), nextEpoch(), up.epoch(), up.slotsFromNanos()), List.of());
    }
  }

  /** Opens the circuit. From any thread; the first caller wins. */
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
      trip(up, "the connection to Redis is closed");
    }
  }

  private void connectFailed(String reason, boolean isTimeout) {
    if (!closed) {
      connectionState.set(new Down(reason));
      logDown(reason);
      if (!isTimeout) {
        firstConnect.complete(new ConnectResult.ConnectFailed(reason));
      }
    }
  }

  private void logDown(String reason) {
    if (!downLogged && !closed) {
      downLogged = true;
      LOG.warn("limits: {}; until it answers, {}", reason, fallbackText);
    }
  }

  private String nextEpoch() {
    return node + "." + epochs++;
  }

  /** Calls a script, with an answer or a timeout on the clock's thread. */
  private void callInTime(RedisConnection link, ScriptCall call, Consumer<RedisReply> whenDone) {
    link.callInTime(call, reply -> clock.execute(() -> whenDone.accept(reply)));
  }
}
