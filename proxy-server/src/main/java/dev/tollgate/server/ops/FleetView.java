package dev.tollgate.server.ops;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.routing.Breaker;
import dev.tollgate.core.routing.DeploymentCircuits;
import dev.tollgate.core.routing.ExtraAttempt;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.routing.KeyHealth;
import dev.tollgate.core.routing.ProviderHealth;
import dev.tollgate.core.routing.RouteHealth;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Converts the health of providers to the JSON of the admin route {@code GET /providers}
 * (docs/routing.md).
 */
final class FleetView {
  private static final double MEDIAN = 0.5;
  private static final double P95 = 0.95;

  private FleetView() {}

  /** Adds the health of a provider to its JSON tree. */
  static void add(
      Fleet fleet, Provider provider, Catalog catalog, long nowNanos, Map<String, Object> tree) {
    ProviderHealth health = fleet.provider(provider);
    tree.put("circuit", circuit(health.endpoint(), nowNanos));
    tree.put("in_flight", health.inFlight());
    tree.put("retries_refused", health.refused(ExtraAttempt.RETRY));
    tree.put("hedges_refused", health.refused(ExtraAttempt.HEDGE));
    List<Map<String, Object>> keys = new ArrayList<>();
    keys(fleet, provider, nowNanos).forEach((name, state) -> keys.add(key(name, state, nowNanos)));
    tree.put("keys", keys);
    Map<DeploymentCircuits, Long> open = fleet.orgCircuits().open();
    List<Map<String, Object>> routes = new ArrayList<>();
    for (Model model : catalog.models()) {
      model.routes().stream()
          .filter(route -> route.provider().id().equals(provider.id()))
          .forEach(route -> routes.add(route(fleet.route(route), open, model, route, nowNanos)));
    }
    tree.put("routes", routes);
  }

  /** Returns the number of a circuit's state in the metrics. */
  static int circuit(ProviderHealth health) {
    return switch (health.endpoint().state()) {
      case Breaker.State.Closed _ -> 0;
      case Breaker.State.HalfOpen _ -> 1;
      case Breaker.State.Open _ -> 2;
    };
  }

  /** Returns the health of a provider's deployments, one of each upstream model. */
  static Set<RouteHealth> deployments(Fleet fleet, Provider provider, Catalog catalog) {
    return catalog.models().stream()
        .flatMap(model -> model.routes().stream())
        .filter(route -> route.provider().id().equals(provider.id()))
        .map(fleet::route)
        .collect(Collectors.toSet());
  }

  /** Returns the state of each credential, by its fingerprint. */
  static Map<String, KeyHealth.State> keys(Fleet fleet, Provider provider, long nowNanos) {
    Map<String, KeyHealth.State> keys = new LinkedHashMap<>();
    for (Credential credential : provider.credentials()) {
      keys.put(credential.fingerprint(), fleet.keyState(provider, credential, nowNanos));
    }
    if (keys.isEmpty()) {
      keys.put("none", fleet.keyState(provider, null, nowNanos));
    }
    return keys;
  }

  private static Map<String, Object> circuit(Breaker breaker, long nowNanos) {
    Breaker.State state = breaker.state();
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put(
        "state",
        switch (state) {
          case Breaker.State.Closed _ -> "closed";
          case Breaker.State.HalfOpen _ -> "half_open";
          case Breaker.State.Open _ -> "open";
        });
    tree.put("generation", state.generation());
    tree.put("openings", breaker.openings());
    tree.put("wait_ms", millis(breaker.waitNanos(nowNanos)));
    return tree;
  }

  private static Map<String, Object> key(String name, KeyHealth.State state, long nowNanos) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("fingerprint", name);
    switch (state) {
      case KeyHealth.State.Usable _, KeyHealth.State.Recovered _ -> tree.put("state", "usable");
      case KeyHealth.State.Cooling cooling -> {
        long left = Math.max(0, cooling.untilNanos() - nowNanos);
        tree.put("state", left > 0 ? "cooling" : "usable");
        tree.put("wait_ms", millis(left));
      }
      case KeyHealth.State.Retired retired -> {
        tree.put("state", "refused");
        tree.put("wait_ms", millis(Math.max(0, retired.untilNanos() - nowNanos)));
      }
    }
    return tree;
  }

  private static Map<String, Object> route(
      RouteHealth health,
      Map<DeploymentCircuits, Long> open,
      Model model,
      Route route,
      long nowNanos) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("model", model.id().toString());
    tree.put("upstream_model", route.upstreamModel());
    tree.put("missing", health.isMissing());
    tree.put("circuit", circuit(health.circuits().model(), nowNanos));
    tree.put("organizations_open", open.getOrDefault(health.circuits(), 0L));
    tree.put("organization_openings", health.circuits().orgOpenings());
    put(tree, "first_content_p50_ms", health.latencyMillis(true, MEDIAN, nowNanos));
    put(tree, "first_content_p95_ms", health.latencyMillis(true, P95, nowNanos));
    put(tree, "tokens_per_second_p50", health.throughput(MEDIAN, nowNanos));
    return tree;
  }

  private static void put(Map<String, Object> tree, String name, OptionalDouble value) {
    value.ifPresent(known -> tree.put(name, Math.round(known)));
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }
}
