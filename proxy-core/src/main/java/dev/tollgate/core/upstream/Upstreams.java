package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.EndpointIdentity;
import io.netty.channel.EventLoop;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Registry of all upstream connections: one pool per event loop, one count per provider endpoint.
 */
public final class Upstreams {
  private final Connector connector;
  private final Map<EndpointIdentity, EndpointConnections> endpoints = new ConcurrentHashMap<>();
  private final Map<EventLoop, UpstreamPool> pools = new ConcurrentHashMap<>();
  private final Set<EndpointIdentity> permanent = ConcurrentHashMap.newKeySet();

  public Upstreams(Connector connector) {
    this.connector = connector;
  }

  /** Returns the pool of a loop; it may be used on that loop only. */
  public UpstreamPool on(EventLoop loop) {
    return pools.computeIfAbsent(loop, key -> new UpstreamPool(key, this::open));
  }

  private EndpointPool open(EventLoop loop, EndpointIdentity endpoint) {
    return new EndpointPool(
        loop, connector, endpoints.computeIfAbsent(endpoint, EndpointConnections::new));
  }

  /** Keeps the connections to an endpoint that no snapshot names, as long as the process runs. */
  public void keepAlways(EndpointIdentity endpoint) {
    permanent.add(endpoint);
  }

  /**
   * Closes idle connections to endpoints that a new snapshot no longer names
   * (docs/decisions/operations.md#identity-of-endpoints).
   */
  public void retireAllBut(Set<EndpointIdentity> live) {
    endpoints.forEach(
        (endpoint, connections) -> {
          if (live.contains(endpoint) || permanent.contains(endpoint)) {
            connections.revive();
          } else {
            connections.retire();
          }
        });
  }

  /** Closes every idle connection and stops the sweeps. */
  public void close() {
    pools.values().forEach(UpstreamPool::close);
    endpoints.values().forEach(EndpointConnections::retire);
  }

  /** Returns the figures of each endpoint, for metrics. */
  public List<Gauge> gauges() {
    Collection<EndpointConnections> all = endpoints.values();
    return all.stream()
        .map(
            one ->
                new Gauge(
                    one.endpoint(),
                    one.open(),
                    one.leased().get(),
                    one.pending().get(),
                    one.unsolicited()))
        .toList();
  }

  /**
   * Connections to one endpoint at one moment.
   *
   * @param open connections, leased ones included
   * @param pending requests that wait for a connection
   * @param unsolicited how many times unsolicited bytes arrived so far
   */
  public record Gauge(
      EndpointIdentity endpoint, int open, int leased, int pending, long unsolicited) {}
}
