package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Counters;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What all nodes share: limits that are counted in one place, and the news of changed keys. */
public final class Redis implements AutoCloseable {
  /** A start waits so long for Redis, then goes on without it. */
  private static final Duration CONNECT_WAIT = Duration.ofSeconds(2);

  private final EventExecutor clock =
      new DefaultEventExecutor(new DefaultThreadFactory("redis-clock", true));
  private final RedisAddress address;
  private final RedisConnector client;
  private final HeldPermits permits = new HeldPermits();
  private final RedisCircuit circuit;
  private final SharedCounters shared;
  private final Optional<LocalFallbackCounters> fallback;
  private final List<KeyChangeSubscriber> subscribers = new ArrayList<>();

  private Redis(
      RedisAddress address,
      Duration timeout,
      Optional<Counters> localCounters,
      RedisObserver figures) {
    this.address = address;
    this.client = new RedisConnector(address);
    this.circuit =
        new RedisCircuit(
            client,
            clock,
            timeout,
            permits,
            figures,
            localCounters.isPresent()
                ? "each node counts alone, as limits.on_store_failure says"
                : "requests with limits are refused");
    this.shared =
        new SharedCounters(circuit, permits, new AcquireTimeouts(clock, timeout), figures);
    this.fallback = localCounters.map(local -> new LocalFallbackCounters(shared, local));
  }

  /**
   * Connects, or goes on trying to.
   *
   * @param timeout that a request pays at most
   * @param localCounters who counts while Redis does not answer; empty: nobody, and requests are
   *     refused
   * @throws ClusterException if it is a cluster
   */
  public static Redis open(
      RedisAddress address,
      Duration timeout,
      Optional<Counters> localCounters,
      RedisObserver figures)
      throws ClusterException, InterruptedException {
    var redis = new Redis(address, timeout, localCounters, figures);
    try {
      var result = redis.circuit.start().get(CONNECT_WAIT.toMillis(), TimeUnit.MILLISECONDS);
      if (result instanceof RedisCircuit.ConnectResult.Cluster) {
        redis.close();
        throw new ClusterException(address);
      }
    } catch (TimeoutException stillConnecting) {
      // it says so itself
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    return redis;
  }

  /** Redis Cluster, whose nodes hold a part of the keys each. */
  public static final class ClusterException extends Exception {
    ClusterException(RedisAddress address) {
      super(address + " is a Redis Cluster; limits need one server, or sentinels with one master");
    }
  }

  /** The counters that all nodes share. */
  public Counters counters() {
    return fallback.<Counters>map(both -> both).orElse(shared);
  }

  /** Whether it is asked now. */
  public boolean isUp() {
    return circuit.connectionState() instanceof ConnectionState.Up;
  }

  /** How many calls wait for an answer of it. */
  public int calls() {
    return circuit.calls();
  }

  /** Requests under way whose slot is counted there and nowhere else. */
  public int slotsHeld() {
    return Math.max(0, permits.slots() - fallback.map(LocalFallbackCounters::localSlots).orElse(0));
  }

  /**
   * From now on hears that keys or organizations changed, and each time that something may have
   * been missed. To be called before anything is closed.
   *
   * @param onChange must not block
   */
  public void onKeyChange(Runnable onChange) {
    var subscriber = new KeyChangeSubscriber(client, clock, address, onChange);
    subscribers.add(subscriber);
    subscriber.start();
  }

  @Override
  public void close() {
    subscribers.forEach(KeyChangeSubscriber::close);
    circuit.close();
    client.close();
    var _ = clock.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
  }
}
