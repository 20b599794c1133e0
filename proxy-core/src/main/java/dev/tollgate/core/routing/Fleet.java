package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.routing.Exclusion.Reason;
import dev.tollgate.core.routing.RoutePlan.CredentialPolicy;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Registry of the health of all providers, their keys and routes, as this process observed it. It
 * survives reloads: circuits by provider, endpoint and upstream model, keys by their fingerprint
 * and the model (docs/decisions/operations.md#identity-of-endpoints). Shared by all loops: maps
 * that grow only with the configuration, of objects that each document how they are shared.
 */
public final class Fleet {
  /** Placeholder for the key of a provider that has none. */
  private static final String NO_KEY = "";

  /**
   * Wait that clients are advised of: a token is fetched within a second, or after an unknown time.
   */
  private static final long TOKEN_WAIT_NANOS = 1_000_000_000;

  private final Map<ProviderName, ProviderHealth> providers = new ConcurrentHashMap<>();
  private final Map<KeyName, KeyHealth> keys = new ConcurrentHashMap<>();
  private final Map<RouteName, RouteHealth> routes = new ConcurrentHashMap<>();
  private final OrgCircuits orgCircuits = new OrgCircuits();
  private final Map<ModelId, AtomicInteger> roundRobin = new ConcurrentHashMap<>();

  private record ProviderName(ProviderId id, EndpointIdentity endpoint) {
    static ProviderName of(Provider provider) {
      return new ProviderName(provider.id(), provider.endpoint());
    }
  }

  private record KeyName(ProviderId id, String fingerprint, String upstreamModel) {
    boolean isOf(Provider provider, String wanted) {
      return id.equals(provider.id()) && fingerprint.equals(wanted);
    }
  }

  private record RouteName(ProviderId id, EndpointIdentity endpoint, String upstreamModel) {
    static RouteName of(Route route) {
      Provider provider = route.provider();
      return new RouteName(provider.id(), provider.endpoint(), route.upstreamModel());
    }
  }

  /** Result of {@link #place}. */
  public sealed interface PlacementResult {
    record Placed(Placement placement) implements PlacementResult {}

    record Excluded(Exclusion exclusion) implements PlacementResult {}
  }

  public ProviderHealth provider(Provider provider) {
    var name = ProviderName.of(provider);
    ProviderHealth known = providers.get(name);
    return known == null ? providers.computeIfAbsent(name, _ -> new ProviderHealth()) : known;
  }

  /**
   * Returns the health of a key for one of its provider's models: providers limit rates by model,
   * and a key that may not use one of them can be good for the others.
   */
  private KeyHealth key(Route route, String fingerprint) {
    var name = new KeyName(route.provider().id(), fingerprint, route.upstreamModel());
    KeyHealth known = keys.get(name);
    return known == null ? keys.computeIfAbsent(name, _ -> new KeyHealth()) : known;
  }

  /**
   * Returns the health of a key; a provider without keys has a placeholder, since it may still
   * limit the rate.
   */
  private KeyHealth key(Route route, @Nullable Credential credential) {
    return key(route, credential == null ? NO_KEY : credential.fingerprint());
  }

  /** Returns the worst state of a key over all models; null if the provider has no keys. */
  public KeyHealth.State keyState(
      Provider provider, @Nullable Credential credential, long nowNanos) {
    String fingerprint = credential == null ? NO_KEY : credential.fingerprint();
    return keys.entrySet().stream()
        .filter(one -> one.getKey().isOf(provider, fingerprint))
        .map(one -> one.getValue().state())
        .max(Comparator.comparingLong(state -> state.severity(nowNanos)))
        .orElse(new KeyHealth.State.Usable());
  }

  public RouteHealth route(Route route) {
    var name = RouteName.of(route);
    RouteHealth known = routes.get(name);
    return known == null
        ? routes.computeIfAbsent(name, _ -> new RouteHealth(circuits(route.provider())))
        : known;
  }

  private DeploymentCircuits circuits(Provider provider) {
    return new DeploymentCircuits(provider(provider).endpoint(), orgCircuits);
  }

  /** Returns the circuits of single organizations at all routes. */
  public OrgCircuits orgCircuits() {
    return orgCircuits;
  }

  /** Returns the number of requests for a model that round robin has placed before this one. */
  int nextRoundRobin(Model model) {
    return roundRobin.computeIfAbsent(model.id(), _ -> new AtomicInteger()).getAndIncrement();
  }

  /**
   * Returns the reason why an organization may not try a candidate at {@code nowNanos}; empty if,
   * as far as is known, it may.
   */
  public Optional<Exclusion> obstacle(
      OrgId org, Candidate candidate, CredentialPolicy policy, long nowNanos) {
    return obstacle(org, candidate, nowNanos)
        .filter(
            one ->
                policy == CredentialPolicy.HEALTHY_ONLY
                    || one.reason() != Reason.CREDENTIALS_REFUSED);
  }

  Optional<Exclusion> obstacle(OrgId org, Candidate candidate, long nowNanos) {
    CircuitOptions rules = candidate.provider().circuit();
    long wait = route(candidate.route()).circuits().ask(org, rules, nowNanos);
    return wait > 0
        ? Optional.of(excluded(candidate, Reason.CIRCUIT_OPEN, wait))
        : keyObstacle(candidate, nowNanos);
  }

  /** True if a key of the provider other than these may be used at once. */
  public boolean hasUsableKey(Candidate candidate, List<Credential> excludedKeys, long nowNanos) {
    return candidate.provider().credentials().stream()
        .filter(one -> !excludedKeys.contains(one))
        .anyMatch(one -> key(candidate.route(), one).waitNanos(nowNanos) == 0);
  }

  private Optional<Exclusion> keyObstacle(Candidate candidate, long nowNanos) {
    if (!hasSendableCredential(candidate)) {
      return Optional.of(excluded(candidate, Reason.TOKEN_MISSING, TOKEN_WAIT_NANOS));
    }
    long cooling = Long.MAX_VALUE;
    long retired = Long.MAX_VALUE;
    List<Credential> credentials = candidate.provider().credentials();
    for (int i = 0;
        i < Math.max(1, credentials.size());
        i++) { // a provider without keys has one placeholder
      KeyHealth key = key(candidate.route(), credentials.isEmpty() ? null : credentials.get(i));
      long wait = key.waitNanos(nowNanos);
      if (wait == 0) {
        return Optional.empty();
      }
      if (key.isRetired()) {
        retired = Math.min(retired, wait);
      } else {
        cooling = Math.min(cooling, wait);
      }
    }
    return Optional.of(
        cooling < Long.MAX_VALUE
            ? excluded(candidate, Reason.COOLING, cooling)
            : excluded(candidate, Reason.CREDENTIALS_REFUSED, retired));
  }

  /**
   * True if the provider needs no credential or one can be sent. A token that is not fetched yet is
   * no fault of the provider, which then gets no request.
   */
  private static boolean hasSendableCredential(Candidate candidate) {
    List<Credential> credentials = candidate.provider().credentials();
    boolean has = credentials.isEmpty();
    for (int i = 0; !has && i < credentials.size(); i++) {
      has = credentials.get(i).effectiveSecret().isPresent();
    }
    return has;
  }

  private List<KeyHealth> keysOf(Route route) {
    List<Credential> credentials = route.provider().credentials();
    return credentials.isEmpty()
        ? List.of(key(route, NO_KEY))
        : credentials.stream().map(credential -> key(route, credential)).toList();
  }

  private static Exclusion excluded(Candidate candidate, Reason reason, long waitNanos) {
    return new Exclusion(candidate.model().id(), candidate.id(), reason, waitNanos);
  }

  /**
   * True if a key of the provider may be used at once, although the provider refused or limited
   * another one.
   */
  public boolean hasUsableKey(Candidate candidate, long nowNanos) {
    return keyObstacle(candidate, nowNanos).isEmpty();
  }

  /** True if neither a circuit nor a key is in doubt: an attempt would not be a probe. */
  public boolean isHealthy(OrgId org, Candidate candidate, long nowNanos) {
    return route(candidate.route()).circuits().isClosed(org, nowNanos)
        && keysOf(candidate.route()).stream().noneMatch(KeyHealth::isRetired)
        && hasUsableKey(candidate, nowNanos);
  }

  /**
   * Takes one attempt from the retry budget of a candidate's provider. Returns false if it is used
   * up.
   */
  public boolean tryTakeFromBudget(
      ExtraAttempt purpose, Candidate candidate, RoutingRules rules, long nowNanos) {
    return provider(candidate.provider()).retries().tryTake(purpose, rules, nowNanos);
  }

  /** True if {@link #tryTakeFromBudget} would succeed now; takes nothing. */
  public boolean hasBudget(Candidate candidate, RoutingRules rules, long nowNanos) {
    return provider(candidate.provider()).retries().isAvailable(rules, nowNanos);
  }

  /** Places one attempt of an organization at a candidate; the placement is to be ended once. */
  public PlacementResult place(
      OrgId org,
      Candidate candidate,
      CredentialPolicy policy,
      long nowNanos,
      RandomGenerator random) {
    return place(org, candidate, policy, List.of(), nowNanos, random);
  }

  /**
   * Places one attempt of an organization, if possible with another key than those excluded.
   *
   * @param excludedKeys keys that are chosen only if there is no other
   */
  public PlacementResult place(
      OrgId org,
      Candidate candidate,
      CredentialPolicy policy,
      List<Credential> excludedKeys,
      long nowNanos,
      RandomGenerator random) {
    CircuitOptions rules = candidate.provider().circuit();
    RouteHealth health = route(candidate.route());
    Optional<CircuitPermits> permits = health.circuits().tryAcquire(org, rules, nowNanos);
    if (permits.isEmpty()) {
      long wait = Math.max(1, health.circuits().ask(org, rules, nowNanos));
      return new PlacementResult.Excluded(excluded(candidate, Reason.CIRCUIT_OPEN, wait));
    }
    Credential credential = choose(candidate.route(), excludedKeys, nowNanos, random);
    KeyHealth key = key(candidate.route(), credential);
    if (!hasSendableCredential(candidate) || !key.tryUse(policy, nowNanos)) {
      permits.get().neutral(nowNanos);
      return new PlacementResult.Excluded(
          keyObstacle(candidate, nowNanos).orElse(excluded(candidate, Reason.COOLING, 1)));
    }
    ProviderHealth provider = provider(candidate.provider());
    return new PlacementResult.Placed(
        new Placement(candidate, credential, provider, key, health, permits.get(), nowNanos));
  }

  /** Chooses a key at random by weight among the usable ones; null if the provider has none. */
  private @Nullable Credential choose(
      Route route, List<Credential> excludedKeys, long nowNanos, RandomGenerator random) {
    List<Credential> all = route.provider().credentials();
    if (all.size() <= 1) {
      return all.isEmpty() ? null : all.getFirst();
    }
    List<Credential> usable =
        all.stream()
            .filter(one -> !excludedKeys.contains(one))
            .filter(one -> key(route, one).waitNanos(nowNanos) == 0)
            .toList();
    if (usable.isEmpty()) {
      return all.get(random.nextInt(all.size()));
    }
    long remaining = random.nextLong(usable.stream().mapToLong(Credential::weight).sum());
    for (Credential one : usable) {
      remaining -= one.weight();
      if (remaining < 0) {
        return one;
      }
    }
    return usable.getLast();
  }

  /**
   * Applies a new configuration: health of what it no longer names is dropped, and refused keys
   * that it still names may be tried at once, since an operator may have repaired them.
   */
  public void configured(Catalog catalog, long nowNanos) {
    Set<ProviderName> live = new HashSet<>();
    Set<KeyName> liveKeys = new HashSet<>();
    Set<RouteName> liveRoutes = new HashSet<>();
    for (Provider provider : catalog.providers()) {
      live.add(ProviderName.of(provider));
    }
    Set<ModelId> models = new HashSet<>();
    for (Model model : catalog.models()) {
      models.add(model.id());
      for (Route route : model.routes()) {
        liveRoutes.add(RouteName.of(route));
        ProviderId id = route.provider().id();
        liveKeys.add(new KeyName(id, NO_KEY, route.upstreamModel()));
        for (Credential one : route.provider().credentials()) {
          liveKeys.add(new KeyName(id, one.fingerprint(), route.upstreamModel()));
        }
      }
    }
    providers.keySet().retainAll(live);
    keys.keySet().retainAll(liveKeys);
    routes.keySet().retainAll(liveRoutes);
    orgCircuits.retain(routes.values().stream().map(RouteHealth::circuits).toList());
    roundRobin.keySet().retainAll(models);
    keys.values().forEach(key -> key.resetWait(nowNanos));
  }
}
