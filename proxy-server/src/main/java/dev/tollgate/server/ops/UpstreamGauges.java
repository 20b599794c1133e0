package dev.tollgate.server.ops;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.routing.CircuitScope;
import dev.tollgate.core.routing.DeploymentCircuits;
import dev.tollgate.core.routing.ExtraAttempt;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.routing.KeyHealth;
import dev.tollgate.core.routing.ProviderHealth;
import dev.tollgate.core.routing.RouteHealth;
import dev.tollgate.core.upstream.Upstreams;
import dev.tollgate.core.upstream.Upstreams.Gauge;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.ProviderFamily;
import io.netty.util.concurrent.Ticker;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Prometheus gauges of upstream connection pools, circuits and credentials, by provider. Pools are
 * counted by endpoint; providers that share an endpoint show the same numbers.
 */
public final class UpstreamGauges {
  private final Upstreams upstreams;
  private final Supplier<Catalog> catalog;
  private final Fleet fleet;
  private final Ticker ticker;

  public UpstreamGauges(
      Upstreams upstreams, Supplier<Catalog> catalog, Fleet fleet, Ticker ticker, Metrics metrics) {
    this.upstreams = upstreams;
    this.catalog = catalog;
    this.fleet = fleet;
    this.ticker = ticker;
    register(metrics);
  }

  private void register(Metrics metrics) {
    metrics.gauges(ProviderFamily.UPSTREAM_CONNECTIONS, () -> byProvider(Gauge::open));
    metrics.gauges(ProviderFamily.UPSTREAM_LEASES, () -> byProvider(Gauge::leased));
    metrics.gauges(ProviderFamily.UPSTREAM_PENDING, () -> byProvider(Gauge::pending));
    metrics.counters(ProviderFamily.UPSTREAM_UNSOLICITED_BYTES, this::unsolicitedBytes);
    metrics.gauges(ProviderFamily.PROVIDER_CIRCUIT, () -> byHealth(FleetView::circuit));
    metrics.gauges(ProviderFamily.MODEL_CIRCUITS_OPEN, () -> byDeployments(this::openForAll));
    metrics.gauges(ProviderFamily.ORG_CIRCUITS_OPEN, this::openForOrgs);
    metrics.gauge(ProviderFamily.ORG_CIRCUITS, () -> fleet.orgCircuits().size());
    metrics.counter(ProviderFamily.ORG_CIRCUITS_EVICTED, () -> fleet.orgCircuits().evictions());
    metrics.counters(ProviderFamily.CIRCUIT_OPENINGS, this::circuitOpenings);
    metrics.gauges(ProviderFamily.PROVIDER_IN_FLIGHT, () -> byHealth(ProviderHealth::inFlight));
    metrics.counters(ProviderFamily.RETRY_BUDGET_EXHAUSTED, this::retryBudgetExhausted);
    metrics.gauges(
        ProviderFamily.PROVIDER_KEYS_REFUSED,
        () -> byKeys(KeyHealth.State.Retired.class::isInstance));
    metrics.gauges(ProviderFamily.PROVIDER_KEYS_COOLING, () -> byKeys(this::isCooling));
  }

  /** The state is stored beyond the pause, because no event marks its end. */
  private boolean isCooling(KeyHealth.State state) {
    return state instanceof KeyHealth.State.Cooling cooling
        && cooling.untilNanos() - ticker.nanoTime() > 0;
  }

  /** Returns the tree of {@code GET /providers}. */
  public Map<String, Object> providers() {
    Map<EndpointIdentity, Gauge> gauges = byEndpoint();
    List<Map<String, Object>> providers =
        catalog.get().providers().stream().map(each -> provider(each, gauges)).toList();
    return Map.of("providers", providers);
  }

  private Map<String, Object> provider(Provider provider, Map<EndpointIdentity, Gauge> gauges) {
    Gauge gauge = of(provider, gauges);
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("provider", provider.id().value());
    tree.put("dialect", provider.dialect());
    tree.put("endpoint", provider.endpoint().toString());
    tree.put("models", models(provider));
    tree.put("connections", gauge.open());
    tree.put("leases", gauge.leased());
    tree.put("pending", gauge.pending());
    FleetView.add(fleet, provider, catalog.get(), ticker.nanoTime(), tree);
    return tree;
  }

  private List<String> models(Provider provider) {
    return catalog.get().models().stream()
        .filter(
            model ->
                model.routes().stream()
                    .anyMatch(route -> route.provider().id().equals(provider.id())))
        .map(model -> model.id().toString())
        .toList();
  }

  private Map<String, Integer> byProvider(ToIntFunction<Gauge> getter) {
    Map<EndpointIdentity, Gauge> gauges = byEndpoint();
    return catalog.get().providers().stream()
        .collect(
            Collectors.toMap(
                provider -> provider.id().value(),
                provider -> getter.applyAsInt(of(provider, gauges))));
  }

  private Map<List<String>, Long> unsolicitedBytes() {
    Map<EndpointIdentity, Gauge> gauges = byEndpoint();
    return catalog.get().providers().stream()
        .collect(
            Collectors.toMap(
                provider -> List.of(provider.id().value()),
                provider -> of(provider, gauges).unsolicited()));
  }

  private Map<String, Number> byHealth(Function<ProviderHealth, Number> getter) {
    return catalog.get().providers().stream()
        .collect(
            Collectors.toMap(
                provider -> provider.id().value(),
                provider -> getter.apply(fleet.provider(provider))));
  }

  private Map<String, Long> byDeployments(ToLongFunction<RouteHealth> getter) {
    return catalog.get().providers().stream()
        .collect(
            Collectors.toMap(
                provider -> provider.id().value(),
                provider -> deployments(provider).stream().mapToLong(getter).sum()));
  }

  private Set<RouteHealth> deployments(Provider provider) {
    return FleetView.deployments(fleet, provider, catalog.get());
  }

  private long openForAll(RouteHealth health) {
    return health.circuits().model().isClosed() ? 0 : 1;
  }

  private Map<String, Long> openForOrgs() {
    Map<DeploymentCircuits, Long> open = fleet.orgCircuits().open();
    return byDeployments(health -> open.getOrDefault(health.circuits(), 0L));
  }

  private Map<List<String>, Long> circuitOpenings() {
    Map<List<String>, Long> openings = new LinkedHashMap<>();
    for (Provider provider : catalog.get().providers()) {
      Set<RouteHealth> deployments = deployments(provider);
      for (CircuitScope scope : CircuitScope.values()) {
        long count =
            switch (scope) {
              case ENDPOINT -> fleet.provider(provider).endpoint().openings();
              case MODEL ->
                  deployments.stream().mapToLong(one -> one.circuits().model().openings()).sum();
              case ORGANIZATION ->
                  deployments.stream().mapToLong(one -> one.circuits().orgOpenings()).sum();
            };
        openings.put(List.of(provider.id().value(), scope.wire()), count);
      }
    }
    return openings;
  }

  private Map<List<String>, Long> retryBudgetExhausted() {
    Map<List<String>, Long> refused = new LinkedHashMap<>();
    for (Provider provider : catalog.get().providers()) {
      ProviderHealth health = fleet.provider(provider);
      for (ExtraAttempt purpose : ExtraAttempt.values()) {
        refused.put(List.of(provider.id().value(), purpose.wire()), health.refused(purpose));
      }
    }
    return refused;
  }

  private Map<String, Long> byKeys(Predicate<KeyHealth.State> counts) {
    return catalog.get().providers().stream()
        .collect(
            Collectors.toMap(
                provider -> provider.id().value(),
                provider ->
                    FleetView.keys(fleet, provider, ticker.nanoTime()).values().stream()
                        .filter(counts)
                        .count()));
  }

  private Map<EndpointIdentity, Gauge> byEndpoint() {
    return upstreams.gauges().stream()
        .collect(Collectors.toMap(Gauge::endpoint, Function.identity(), (one, _) -> one));
  }

  private static Gauge of(Provider provider, Map<EndpointIdentity, Gauge> gauges) {
    return gauges.getOrDefault(provider.endpoint(), new Gauge(provider.endpoint(), 0, 0, 0, 0));
  }
}
