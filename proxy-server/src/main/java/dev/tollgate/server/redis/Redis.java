package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.limit.LimitLevels;
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

/**
 * Facade of the Redis server that all nodes share: rate limit counters and notifications of changed
 * API keys.
 */
public final class Redis implements AutoCloseable {
  /**
   * Longest wait of a start for a Redis that does not answer, before it continues without. Longer
   * than the node may be late itself; a Redis that is gone is noticed at once.
   */
  private static final Duration CONNECT_WAIT = Duration.ofSeconds(5);

  private final EventExecutor clock =
      new DefaultEventExecutor(new DefaultThreadFactory("redis-clock", true));
  private final RedisAddress address;
  private final RedisConnector client;
  private final ActivePermits permits = new ActivePermits();
  private final RedisCircuit circuit;
  private final SharedCounters shared;
  private final SharedLevels levels;
  private final Optional<LocalFallbackCounters> fallback;
  private final List<KeyChangeSubscriber> subscribers = new ArrayList<>();

  private Redis(
      RedisAddress address,
      Duration timeout,
      Optional<Counters> localCounters,
      RedisObserver figures) {
    this.address = address;
    this.client = new RedisConnector(address.ofNode());
    this.circuit =
        new RedisCircuit(
            client,
            clock,
            timeout,
            permits,
            figures,
            localCounters.isPresent()
                ? "each node counts alone (limits.on_store_failure)"
                : "requests with limits are refused");
    this.shared = new SharedCounters(circuit, permits, figures);
    this.levels = new SharedLevels(address, this::isUp);
    this.fallback = localCounters.map(local -> new LocalFallbackCounters(shared, local));
  }

  /**
   * Connects, with retries in the background.
   *
   * @param timeout longest wait of a request for Redis
   * @param localCounters the counters to use while Redis does not answer; empty means that requests
   *     with limits are refused
   * @throws ClusterException if the server is part of a cluster
   */
  public static Redis open(
      RedisAddress address,
      Duration timeout,
      Optional<Counters> localCounters,
      RedisObserver figures)
      throws ClusterException, InterruptedException {
    return open(address, timeout, localCounters, figures, CONNECT_WAIT);
  }

  /**
   * Connects as the public method.
   *
   * @param wait longest wait for the first definite result
   */
  static Redis open(
      RedisAddress address,
      Duration timeout,
      Optional<Counters> localCounters,
      RedisObserver figures,
      Duration wait)
      throws ClusterException, InterruptedException {
    var redis = new Redis(address, timeout, localCounters, figures);
    try {
      redis.awaitFirstConnect(wait);
    } catch (ClusterException | InterruptedException e) {
      redis.close();
      throw e;
    }
    return redis;
  }

  private void awaitFirstConnect(Duration wait) throws ClusterException, InterruptedException {
    try {
      var result = circuit.start().get(wait.toMillis(), TimeUnit.MILLISECONDS);
      if (result instanceof RedisCircuit.ConnectResult.Cluster) {
        throw new ClusterException(address);
      }
    } catch (TimeoutException stillConnecting) {
      // the circuit logs that
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Failure to use a server that is part of a Redis Cluster, which is not supported. */
  public static final class ClusterException extends Exception {
    ClusterException(RedisAddress address) {
      super(address + " is a Redis Cluster; limits need one server, or sentinels with one master");
    }
  }

  /** Returns the counters that all nodes share. */
  public Counters counters() {
    return fallback.<Counters>map(both -> both).orElse(shared);
  }

  /** Returns the reader of what is used of the buckets. */
  public LimitLevels.OfAllNodes levels() {
    return levels;
  }

  /** True if Redis is considered up. */
  public boolean isUp() {
    return circuit.connectionState() instanceof ConnectionState.Up;
  }

  /** Returns the number of calls that wait for an answer. */
  public int calls() {
    return circuit.calls();
  }

  /** Returns the number of running requests with a slot that only Redis counts. */
  public int slotsHeld() {
    return Math.max(0, permits.slots() - fallback.map(LocalFallbackCounters::localSlots).orElse(0));
  }

  /**
   * Subscribes to changes of keys and organizations. To be called before {@link #close}.
   *
   * @param onChange called at each change, and whenever one may have been missed; must not block
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
    levels.close();
    client.close();
    var _ = clock.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
  }
}
