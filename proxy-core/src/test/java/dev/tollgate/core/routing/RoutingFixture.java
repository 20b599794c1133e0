package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.routing.Fleet.PlacementResult;
import dev.tollgate.core.routing.RoutePlan.CredentialPolicy;
import dev.tollgate.core.routing.Router.Routed;
import dev.tollgate.core.routing.Router.RoutingRequest;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Models, providers and their health, for tests of routing; time is a number. */
final class RoutingFixture {
  static final RoutingRules RULES = RoutingRules.DEFAULT;

  final Fleet fleet = new Fleet();
  final Random random = new Random(1);
  private final Router router = new Router(fleet);
  OrgId org = TestCatalog.ORG;
  long now = Duration.ofHours(1).toNanos();

  /**
   * A model with routes of the form {@code slug:priority:weight:cost}, all but the first optional;
   * the cost is that of a token of input and output in pico-USD.
   */
  static Model model(String id, String... routes) {
    Model usual = TestCatalog.of("any").models().iterator().next();
    List<Route> made = new ArrayList<>();
    for (String route : routes) {
      String[] parts = route.split(":", -1);
      int priority = parts.length > 1 ? Integer.parseInt(parts[1]) : 1;
      int weight = parts.length > 2 ? Integer.parseInt(parts[2]) : 1;
      Optional<PriceList> cost =
          parts.length > 3
              ? Optional.of(PriceList.ofTokens(TokenPrices.of(Long.parseLong(parts[3]), 0)))
              : Optional.empty();
      made.add(new Route(TestCatalog.provider(parts[0]), "up-" + id, priority, weight, 0, cost));
    }
    return new Model(
        ModelId.parse(id).orElseThrow(),
        usual.modality(),
        usual.name(),
        usual.description(),
        usual.created(),
        usual.contextLength(),
        usual.outputTokensMax(),
        usual.outputTokensReserved(),
        usual.imageTokensReserved(),
        Set.of("streaming", "tools"),
        PriceList.ofTokens(TokenPrices.of(1_000_000, 2_000_000)),
        Resume.OFF,
        false,
        made,
        Duration.ZERO);
  }

  static Model priced(Model model, long input, long output) {
    return new Model(
        model.id(),
        model.modality(),
        model.name(),
        model.description(),
        model.created(),
        model.contextLength(),
        model.outputTokensMax(),
        model.outputTokensReserved(),
        model.imageTokensReserved(),
        model.capabilities(),
        PriceList.ofTokens(TokenPrices.of(input, output)),
        model.resume(),
        model.stickyPrefix(),
        model.routes(),
        model.durationAssumed());
  }

  /** A provider with keys of these weights, named k0, k1, and so on. */
  static Provider withKeys(String slug, int... weights) {
    List<Credential> keys = new ArrayList<>();
    for (int i = 0; i < weights.length; i++) {
      keys.add(new Credential(new Secret("k" + i), weights[i]));
    }
    Provider p = TestCatalog.provider(slug);
    return new Provider(
        p.id(),
        p.dialect(),
        p.endpoint(),
        p.basePath(),
        keys,
        p.headers(),
        p.timeouts(),
        p.pool(),
        p.circuit(),
        p.quirks(),
        p.onDisconnect(),
        p.eventBytesMax());
  }

  static Candidate candidate(Provider provider) {
    Model model = model("acme/one", "any");
    return new Candidate(model, new Route(provider, "up", 1, 1));
  }

  /** Returns the slugs of the plan for a request with these preferences. */
  List<String> order(RoutingPreferences preferences, Model... models) {
    return plan(preferences, OptionalLong.empty(), models).candidates().stream()
        .map(candidate -> candidate.id().value())
        .toList();
  }

  RoutePlan plan(RoutingPreferences preferences, OptionalLong affinity, Model... models) {
    Routed routed = routed(preferences, Set.of(), affinity, models);
    if (routed instanceof Routed.Planned planned) {
      return planned.plan();
    }
    throw new AssertionError("refused: " + routed);
  }

  NoProviderRefusal refusal(RoutingPreferences preferences, Model... models) {
    return refusal(preferences, Set.of(), models);
  }

  NoProviderRefusal refusal(RoutingPreferences preferences, Set<String> needs, Model... models) {
    Routed routed = routed(preferences, needs, OptionalLong.empty(), models);
    if (routed instanceof Routed.Refused refused) {
      return refused.refusal();
    }
    throw new AssertionError("planned: " + routed);
  }

  private Routed routed(
      RoutingPreferences preferences, Set<String> needs, OptionalLong affinity, Model... models) {
    var ask =
        new RoutingRequest(org, List.of(models), preferences, needs, _ -> true, affinity, true);
    return router.route(ask, RULES, now, random);
  }

  Placement place(Candidate candidate) {
    PlacementResult placing = placing(candidate);
    if (placing instanceof PlacementResult.Placed placed) {
      return placed.placement();
    }
    throw new AssertionError("excluded: " + placing);
  }

  /** Places an attempt as a request does that finds no obstacle; empty if it finds one. */
  Optional<Placement> tryPlace(Candidate candidate) {
    return fleet.obstacle(org, candidate, CredentialPolicy.HEALTHY_ONLY, now).isEmpty()
        ? Optional.of(place(candidate))
        : Optional.empty();
  }

  /** Returns whether the first candidate of a plan may be tried now. */
  boolean isPlaced(RoutePlan plan) {
    return placing(plan) instanceof PlacementResult.Placed;
  }

  Placement place(RoutePlan plan) {
    if (placing(plan) instanceof PlacementResult.Placed placed) {
      return placed.placement();
    }
    throw new AssertionError("excluded: " + plan);
  }

  private PlacementResult placing(RoutePlan plan) {
    return fleet.place(
        plan.org(), plan.candidates().getFirst(), plan.credentialPolicy(), now, random);
  }

  private PlacementResult placing(Candidate candidate) {
    return fleet.place(org, candidate, CredentialPolicy.HEALTHY_ONLY, now, random);
  }

  Exclusion exclusion(Candidate candidate) {
    PlacementResult placing = placing(candidate);
    if (placing instanceof PlacementResult.Excluded excluded) {
      return excluded.exclusion();
    }
    throw new AssertionError("placed: " + placing);
  }

  Candidate at(Model model, String slug) {
    return model.routes().stream()
        .filter(route -> route.provider().id().value().equals(slug))
        .map(route -> new Candidate(model, route))
        .findFirst()
        .orElseThrow();
  }

  void pass(Duration time) {
    now += time.toNanos();
  }

  /** Serves a stream with this latency, and a second of writing. */
  void served(Candidate candidate, Duration latency, long tokens) {
    Placement placement = place(candidate);
    pass(latency);
    placement.firstContent(now);
    pass(Duration.ofSeconds(1));
    placement.succeeded(tokens, now);
  }

  void failed(Candidate candidate, Kind kind, int times) {
    for (int i = 0; i < times; i++) {
      place(candidate).failed(UpstreamFailure.of(kind, "test"), now);
    }
  }

  static UpstreamFailure limited(int retryAfterSeconds) {
    return new UpstreamFailure(Kind.RATE_LIMITED, 429, "", null, null, retryAfterSeconds);
  }

  static UpstreamFailure refused() {
    return new UpstreamFailure(Kind.CREDENTIAL_REFUSED, 401, "", null, null, 0);
  }

  /** Preferences with one field. */
  static RoutingPreferences preferences(UnaryOperator<PreferencesBuilder> change) {
    return change.apply(new PreferencesBuilder(RoutingPreferences.NONE)).base();
  }

  static RoutingPreferences strategy(Strategy strategy) {
    return preferences(w -> w.strategy(strategy));
  }

  /** Builder of preferences. */
  record PreferencesBuilder(RoutingPreferences base) {
    PreferencesBuilder strategy(Strategy strategy) {
      return with(strategy, base.order(), base.only(), base.ignore(), base.allowFallbacks());
    }

    PreferencesBuilder order(String... slugs) {
      return with(
          base.strategy(), List.of(slugs), base.only(), base.ignore(), base.allowFallbacks());
    }

    PreferencesBuilder only(String... slugs) {
      return with(
          base.strategy(), base.order(), List.of(slugs), base.ignore(), base.allowFallbacks());
    }

    PreferencesBuilder ignore(String... slugs) {
      return with(
          base.strategy(), base.order(), base.only(), List.of(slugs), base.allowFallbacks());
    }

    PreferencesBuilder noFallbacks() {
      return with(base.strategy(), base.order(), base.only(), base.ignore(), false);
    }

    PreferencesBuilder demand(boolean requireParameters, PriceCap cap, Duration latencyPreferred) {
      return new PreferencesBuilder(
          new RoutingPreferences(
              base.strategy(),
              base.order(),
              base.only(),
              base.ignore(),
              base.allowFallbacks(),
              requireParameters,
              base.models(),
              cap,
              latencyPreferred,
              base.timeout(),
              base.resume(),
              base.hedgeAfter(),
              base.sessionId()));
    }

    private PreferencesBuilder with(
        @Nullable Strategy strategy,
        List<String> order,
        List<String> only,
        List<String> ignore,
        boolean allowFallbacks) {
      return new PreferencesBuilder(
          new RoutingPreferences(
              strategy,
              order,
              only,
              ignore,
              allowFallbacks,
              base.requireParameters(),
              base.models(),
              base.priceCap(),
              base.latencyPreferred(),
              base.timeout(),
              base.resume(),
              base.hedgeAfter(),
              base.sessionId()));
    }
  }

  /** Returns a catalog of the providers that a model's routes name. */
  static Catalog catalog(Model model) {
    return new Catalog(model.routes().stream().map(Route::provider).toList(), List.of(model));
  }
}
