package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.EndpointIdentity;
import io.netty.channel.EventLoop;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** All connections to all providers: one pool per loop, one count per endpoint over all loops. */
public final class Upstreams {
  private final Connector connector;
  private final Map<EndpointIdentity, EndpointConnections> endpoints = new ConcurrentHashMap<>();
  private final Map<EventLoop, UpstreamPool> pools = new ConcurrentHashMap<>();
  private final Set<EndpointIdentity> permanent = ConcurrentHashMap.newKeySet();

  public Upstreams(Connector connector) {
    this.connector = connector;
  }

  /** The pool of a loop; to be used on that loop only. */
  public UpstreamPool on(EventLoop loop) {
    return pools.computeIfAbsent(loop, key -> new UpstreamPool(key, this::open));
  }

  private EndpointPool open(EventLoop loop, EndpointIdentity endpoint) {
    return new EndpointPool(
        loop, connector, endpoints.computeIfAbsent(endpoint, EndpointConnections::new));
  }

  /** Leads to something that no snapshot names, and is there for as long as the process. */
  public void keepAlways(EndpointIdentity endpoint) {
    permanent.add(endpoint);
  }

  /**
   * Closes what idles toward endpoints that a new snapshot no longer names
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

  /** A reading per endpoint, for metrics. */
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
   * @param unsolicited how often bytes came so far that no request had asked for
   */
  public record Gauge(
      EndpointIdentity endpoint, int open, int leased, int pending, long unsolicited) {}
}
