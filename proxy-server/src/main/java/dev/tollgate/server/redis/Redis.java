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
  private static final Duration START = Duration.ofSeconds(2);

  private final EventExecutor clock =
      new DefaultEventExecutor(new DefaultThreadFactory("redis-clock", true));
  private final Address address;
  private final Client client;
  private final Held held = new Held();
  private final Circuit circuit;
  private final SharedCounters shared;
  private final Optional<OrElse> orElse;
  private final List<KeyNews> news = new ArrayList<>();

  private Redis(Address address, Duration timeout, Optional<Counters> alone, Figures figures) {
    this.address = address;
    this.client = new Client(address);
    this.circuit =
        new Circuit(
            client,
            clock,
            timeout,
            held,
            figures,
            alone.isPresent()
                ? "each node counts alone, as limits.on_store_failure says"
                : "requests with limits are refused");
    this.shared = new SharedCounters(circuit, held, new Deadlines(clock, timeout), figures);
    this.orElse = alone.map(local -> new OrElse(shared, local));
  }

  /**
   * Connects, or goes on trying to.
   *
   * @param timeout that a request pays at most
   * @param alone who counts while Redis does not answer; empty: nobody, and requests are refused
   * @throws ClusterException if it is a cluster
   */
  public static Redis open(
      Address address, Duration timeout, Optional<Counters> alone, Figures figures)
      throws ClusterException, InterruptedException {
    var redis = new Redis(address, timeout, alone, figures);
    try {
      var first = redis.circuit.start().get(START.toMillis(), TimeUnit.MILLISECONDS);
      if (first instanceof Circuit.First.Cluster) {
        redis.close();
        throw new ClusterException(address);
      }
    } catch (TimeoutException goesOnTrying) {
      // it says so itself
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    return redis;
  }

  /** Redis Cluster, whose nodes hold a part of the keys each. */
  public static final class ClusterException extends Exception {
    ClusterException(Address address) {
      super(address + " is a Redis Cluster; limits need one server, or sentinels with one master");
    }
  }

  /** The counters that all nodes share. */
  public Counters counters() {
    return orElse.<Counters>map(both -> both).orElse(shared);
  }

  /** Whether it is asked now. */
  public boolean isUp() {
    return circuit.standing() instanceof Standing.Up;
  }

  /** How many calls wait for an answer of it. */
  public int calls() {
    return circuit.calls();
  }

  /** Requests under way whose slot is counted there and nowhere else. */
  public int slotsHeld() {
    return Math.max(0, held.slots() - orElse.map(OrElse::slotsAlone).orElse(0));
  }

  /**
   * From now on hears that keys or organizations changed, and each time that something may have
   * been missed. To be called before anything is closed.
   *
   * @param heard must not block
   */
  public void onKeyChange(Runnable heard) {
    var hearing = new KeyNews(client, clock, address, heard);
    news.add(hearing);
    hearing.start();
  }

  @Override
  public void close() {
    news.forEach(KeyNews::close);
    circuit.close();
    client.close();
    var _ = clock.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
  }
}
