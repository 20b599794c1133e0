package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.routing.Exclusion.Reason;
import dev.tollgate.core.routing.RoutePlan.CredentialPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Router of requests to providers: hard filters first, then the strategy, then which candidates can
 * be tried now (docs/routing.md). Candidates of fallback models come last.
 */
public final class Router {
  private final Fleet fleet;

  public Router(Fleet fleet) {
    this.fleet = fleet;
  }

  /**
   * Properties of a request that decide its route.
   *
   * @param org organization that asks
   * @param models the requested model, then the fallback models
   * @param needs capabilities that the request uses
   * @param fits true if a candidate's provider supports all that the request uses
   * @param affinity hash that is equal in requests that should go to the same provider
   */
  public record RoutingRequest(
      OrgId org,
      List<Model> models,
      RoutingPreferences preferences,
      Set<String> needs,
      Predicate<Candidate> fits,
      OptionalLong affinity,
      boolean stream) {}

  /** Returns the affinity of requests with equal texts. */
  public static OptionalLong affinity(String text) {
    return OptionalLong.of(StableHash.of(text));
  }

  /** Result of routing. */
  public sealed interface Routed {
    record Planned(RoutePlan plan) implements Routed {}

    record Refused(NoProviderRefusal refusal) implements Routed {}
  }

  /** Plans the attempts of one request. */
  public Routed route(
      RoutingRequest request, RoutingRules rules, long nowNanos, RandomGenerator random) {
    Strategy strategy =
        Objects.requireNonNullElse(request.preferences().strategy(), rules.strategy());
    var ranking = new Ranking(fleet, request.stream(), nowNanos, random);
    List<Exclusion> excluded = new ArrayList<>();
    List<Candidate> eligible = new ArrayList<>();
    for (Model model :
        request.preferences().allowFallbacks()
            ? request.models()
            : request.models().subList(0, 1)) {
      List<Candidate> fitting = fitting(model, request, excluded);
      eligible.addAll(ranking.of(fitting, strategy, request.preferences(), request.affinity()));
    }
    List<Candidate> allowed = allowed(eligible, request.preferences(), excluded);
    List<Candidate> refused = new ArrayList<>(0);
    List<Candidate> available = available(request.org(), allowed, excluded, refused, nowNanos);
    if (!available.isEmpty()) {
      return new Routed.Planned(
          new RoutePlan(
              request.org(),
              strategy,
              available,
              allowed,
              rules,
              excluded,
              CredentialPolicy.HEALTHY_ONLY));
    }
    if (!refused.isEmpty() && refused.size() == allowed.size()) {
      excluded.removeIf(exclusion -> exclusion.reason() == Reason.CREDENTIALS_REFUSED);
      return new Routed.Planned(
          new RoutePlan(
              request.org(),
              strategy,
              refused,
              refused,
              rules,
              excluded,
              CredentialPolicy.LAST_RESORT));
    }
    return new Routed.Refused(new NoProviderRefusal(strategy, excluded));
  }

  private static List<Candidate> fitting(
      Model model, RoutingRequest request, List<Exclusion> excluded) {
    List<Candidate> fitting = new ArrayList<>(model.routes().size());
    for (Route route : model.routes()) {
      var candidate = new Candidate(model, route);
      Optional<Reason> misfit = misfit(candidate, request);
      if (misfit.isPresent()) {
        excluded.add(exclusion(candidate, misfit.get()));
      } else {
        fitting.add(candidate);
      }
    }
    return fitting;
  }

  /** Applies the hard filters that depend on the request alone. */
  private static Optional<Reason> misfit(Candidate candidate, RoutingRequest request) {
    RoutingPreferences preferences = request.preferences();
    String slug = candidate.id().value();
    if (!preferences.only().isEmpty() && !preferences.only().contains(slug)) {
      return Optional.of(Reason.NOT_IN_ONLY);
    }
    if (preferences.ignore().contains(slug)) {
      return Optional.of(Reason.IGNORED);
    }
    if (!preferences.allowFallbacks()
        && !preferences.order().isEmpty()
        && !preferences.order().contains(slug)) {
      return Optional.of(Reason.NOT_IN_ORDER);
    }
    if (!preferences.priceCap().allows(candidate.model().prices())) {
      return Optional.of(Reason.PRICE_ABOVE_MAX);
    }
    boolean understands =
        understands(candidate.model(), request.needs()) && request.fits().test(candidate);
    return !understands ? Optional.of(Reason.PARAMETERS_UNSUPPORTED) : Optional.empty();
  }

  /** True if the model has the needed capabilities, or if none of its capabilities are known. */
  private static boolean understands(Model model, Set<String> needs) {
    return model.capabilities().isEmpty() || model.capabilities().containsAll(needs);
  }

  /**
   * Returns the candidates that may serve: without fallbacks, those that the request names, or the
   * first one if it names none.
   */
  private static List<Candidate> allowed(
      List<Candidate> ranked, RoutingPreferences preferences, List<Exclusion> excluded) {
    if (preferences.allowFallbacks() || ranked.isEmpty()) {
      return ranked;
    }
    Candidate preferred = ranked.getFirst();
    Predicate<Candidate> mayServe =
        preferences.order().isEmpty() ? preferred::isSame : preferred::isSameModel;
    ranked.stream()
        .filter(mayServe.negate())
        .forEach(one -> excluded.add(exclusion(one, Reason.FALLBACK_NOT_ALLOWED)));
    return ranked.stream().filter(mayServe).toList();
  }

  private List<Candidate> available(
      OrgId org,
      List<Candidate> allowed,
      List<Exclusion> excluded,
      List<Candidate> refused,
      long nowNanos) {
    List<Candidate> available = new ArrayList<>(allowed.size());
    for (Candidate candidate : allowed) {
      Optional<Exclusion> obstacle = fleet.obstacle(org, candidate, nowNanos);
      if (obstacle.isEmpty()) {
        available.add(candidate);
        continue;
      }
      excluded.add(obstacle.get());
      if (obstacle.get().reason() == Reason.CREDENTIALS_REFUSED) {
        refused.add(candidate);
      }
    }
    return available;
  }

  private static Exclusion exclusion(Candidate candidate, Reason reason) {
    return new Exclusion(candidate.model().id(), candidate.id(), reason, 0);
  }
}
