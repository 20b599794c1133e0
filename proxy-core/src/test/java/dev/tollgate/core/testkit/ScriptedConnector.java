package dev.tollgate.core.testkit;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.upstream.AddressConnector;
import dev.tollgate.core.upstream.ConnectProgress;
import dev.tollgate.core.upstream.Connector;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.ConnectException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Connector whose connections end at the test, and which refuses or delays them on request. */
public final class ScriptedConnector implements Connector, AddressConnector {
  private final ByteBufAllocator allocator;
  private final List<ProviderLink> links = new ArrayList<>();
  private final Map<String, ConnectBehavior> behaviors = new HashMap<>();
  private final List<Pending> pending = new ArrayList<>();
  private final List<Duration> timeouts = new ArrayList<>();
  private final List<String> addresses = new ArrayList<>();
  private boolean holdNew;

  /** Behavior toward a connect. */
  public enum ConnectBehavior {
    ACCEPTS,
    REFUSES,
    /** Accepts and closes at once. */
    CLOSES,
    /** No answer before {@link #acceptPending}. */
    NO_RESPONSE
  }

  public ScriptedConnector(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /** Sets the behavior for later connections to {@code host}, a name or an address. */
  public void behavior(String host, ConnectBehavior behavior) {
    behaviors.put(host, behavior);
  }

  /** Stops or resumes reading on connections that are accepted later. */
  public void holdNewLinks(boolean hold) {
    holdNew = hold;
  }

  @Override
  public Future<Channel> connect(
      EventLoop loop, EndpointIdentity endpoint, Duration timeout, ConnectProgress progress) {
    return connect(loop, endpoint, endpoint.host(), timeout);
  }

  @Override
  public Future<Channel> connect(
      EventLoop loop, EndpointIdentity endpoint, InetAddress address, Duration timeout) {
    addresses.add(address.getHostAddress());
    return connect(loop, endpoint, address.getHostAddress(), timeout);
  }

  private Future<Channel> connect(
      EventLoop loop, EndpointIdentity endpoint, String to, Duration timeout) {
    timeouts.add(timeout);
    Promise<Channel> promise = loop.newPromise();
    switch (behaviors.getOrDefault(to, ConnectBehavior.ACCEPTS)) {
      case ACCEPTS -> promise.setSuccess(link(endpoint).channel());
      case REFUSES -> promise.setFailure(new ConnectException("Connection refused: " + endpoint));
      case CLOSES -> {
        ProviderLink link = link(endpoint);
        link.closeQuietly();
        promise.setSuccess(link.channel());
      }
      case NO_RESPONSE -> pending.add(new Pending(endpoint, promise));
    }
    return promise;
  }

  private ProviderLink link(EndpointIdentity endpoint) {
    ProviderLink link = new ProviderLink(endpoint, allocator);
    links.add(link);
    link.reads(!holdNew);
    return link;
  }

  /** Accepts the pending connections. */
  public void acceptPending() {
    List<Pending> waiting = List.copyOf(pending);
    pending.clear();
    for (Pending one : waiting) {
      if (!one.promise().isDone()) {
        one.promise().setSuccess(link(one.endpoint()).channel());
      }
    }
  }

  /** Returns the number of pending connections, neither made nor cancelled. */
  public long pending() {
    return pending.stream().filter(one -> !one.promise().isDone()).count();
  }

  private record Pending(EndpointIdentity endpoint, Promise<Channel> promise) {}

  /** Returns the timeout of each attempt to connect. */
  public List<Duration> timeouts() {
    return List.copyOf(timeouts);
  }

  /** Returns the addresses of connects whose caller chose the address. */
  public List<String> addresses() {
    return List.copyOf(addresses);
  }

  /** Returns the connections, in order. */
  public List<ProviderLink> links() {
    return List.copyOf(links);
  }

  /** Runs the tasks of connections; true if there were any. */
  public boolean runLinks() {
    boolean busy = false;
    for (ProviderLink link : links()) {
      if (link.channel().hasPendingTasks()) {
        link.channel().runPendingTasks();
        busy = true;
      }
    }
    return busy;
  }
}
