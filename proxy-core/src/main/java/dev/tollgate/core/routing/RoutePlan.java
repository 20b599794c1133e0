package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Candidates that may serve one request, in order of preference at its admission.
 *
 * @param org organization that asks
 * @param candidates those that could be tried at admission, never empty; the first one is tried
 *     first
 * @param ranked all of them: a candidate that could not be tried at admission may be usable when an
 *     attempt fails
 * @param rules bounds of attempts per request and of retries per provider
 * @param excluded providers that may not serve the request
 * @param credentialPolicy decides if refused keys may be tried before their wait ends
 */
public record RoutePlan(
    OrgId org,
    Strategy strategy,
    List<Candidate> candidates,
    List<Candidate> ranked,
    RoutingRules rules,
    List<Exclusion> excluded,
    CredentialPolicy credentialPolicy) {
  /** Keys that may be tried. */
  public enum CredentialPolicy {
    /** Keys that the provider did not refuse lately. */
    HEALTHY_ONLY,
    /**
     * Refused keys too: there is no other candidate, and the provider's own error explains the
     * failure to the client.
     */
    LAST_RESORT
  }

  public RoutePlan {
    candidates = List.copyOf(candidates);
    ranked = List.copyOf(ranked);
    excluded = List.copyOf(excluded);
    if (candidates.isEmpty()) {
      throw new IllegalArgumentException("a plan needs a candidate");
    }
  }

  /** Returns the highest number of attempts. */
  public int attemptsMax() {
    return rules.attemptsMax();
  }

  /** Returns the highest cost of a request at any of the models that may serve it. */
  public MicroUsd maxCost(Function<Model, MicroUsd> estimate) {
    Model model = ranked.getFirst().model();
    MicroUsd max = estimate.apply(model);
    for (Candidate candidate : ranked) {
      if (!candidate.model().id().equals(model.id())) { // candidates of one model are adjacent
        model = candidate.model();
        MicroUsd cost = estimate.apply(model);
        max = cost.compareTo(max) > 0 ? cost : max;
      }
    }
    return max;
  }

  /** Returns the candidates that may still be tried, in order, after {@code begun} attempts. */
  public List<Candidate> fallbacks(int begun, Predicate<Candidate> mayBeAsked) {
    if (begun >= attemptsMax()) {
      return List.of();
    }
    List<Candidate> fallbacks = new ArrayList<>(0);
    for (Candidate candidate : ranked) {
      if (mayBeAsked.test(candidate)) {
        fallbacks.add(candidate);
      }
    }
    return fallbacks;
  }

  /**
   * Returns the value of {@code X-LLM-Routing-Reason} (docs/decisions/routing.md#routing-header).
   *
   * @param healthy true if {@code selected} serves, or failed for a reason that is not its fault
   */
  public String reason(
      Candidate selected,
      boolean healthy,
      List<Candidate> fallbacks,
      MicroUsd cost,
      boolean committedEarly) {
    return "strategy="
        + strategy.wire()
        + " selected="
        + selected.id()
        + " priority="
        + selected.route().priority()
        + " cost_micro="
        + cost.value()
        + " healthy="
        + healthy
        + " fallbacks="
        + names(fallbacks)
        + (committedEarly ? " committed=early" : "");
  }

  private static String names(List<Candidate> fallbacks) {
    return fallbacks.isEmpty()
        ? "none"
        : fallbacks.stream()
            .map(candidate -> candidate.id().value())
            .distinct()
            .collect(Collectors.joining(","));
  }
}
