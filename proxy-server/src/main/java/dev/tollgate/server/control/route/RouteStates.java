package dev.tollgate.server.control.route;

import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.routing.Breaker;
import dev.tollgate.core.routing.DeploymentCircuits;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.routing.KeyHealth;
import io.netty.util.concurrent.Ticker;
import java.util.List;
import java.util.stream.Stream;

/** States of routes as this node sees them, without what is the operator's business. */
public final class RouteStates {
  private final Fleet fleet;
  private final Ticker ticker;

  public RouteStates(Fleet fleet, Ticker ticker) {
    this.fleet = fleet;
    this.ticker = ticker;
  }

  /** Whether requests can be sent to a route. */
  enum RouteState {
    UP,
    /** Some requests fail, or fewer are sent. */
    DEGRADED,
    /** None is sent. */
    DOWN
  }

  RouteState of(dev.tollgate.core.catalog.Route route, OrgId org) {
    long nowNanos = ticker.nanoTime();
    var health = fleet.route(route);
    DeploymentCircuits circuits = health.circuits();
    List<Breaker> breakers =
        Stream.concat(
                Stream.of(fleet.provider(route.provider()).endpoint(), circuits.model()),
                circuits.ofOrg(org, nowNanos).stream())
            .toList();
    boolean isOpen = breakers.stream().anyMatch(each -> each.waitNanos(nowNanos) > 0);
    Provider provider = route.provider();
    if (isOpen || health.isMissing() || worksNoKey(provider, nowNanos)) {
      return RouteState.DOWN;
    }
    boolean isTried = breakers.stream().anyMatch(each -> !each.isClosed());
    return isTried || failsSomeKey(provider, nowNanos) ? RouteState.DEGRADED : RouteState.UP;
  }

  private boolean worksNoKey(Provider provider, long nowNanos) {
    List<Credential> keys = provider.credentials();
    return !keys.isEmpty() && keys.stream().allMatch(key -> waits(provider, key, nowNanos));
  }

  private boolean failsSomeKey(Provider provider, long nowNanos) {
    return provider.credentials().stream().anyMatch(key -> waits(provider, key, nowNanos));
  }

  private boolean waits(Provider provider, Credential key, long nowNanos) {
    KeyHealth.State state = fleet.keyState(provider, key, nowNanos);
    return state.severity(nowNanos) > 0;
  }
}
