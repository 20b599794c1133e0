package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.money.MicroUsd;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Who may serve one request, in the order of preference of its admission.
 *
 * @param candidates those who could be asked then, never empty: the first one is asked first
 * @param ranked all of them: who could not be asked then may be able to when a try fails
 * @param rules tries per client request and retries per provider, whatever the candidates
 * @param excluded who may not serve it
 * @param credentialPolicy whether keys that were refused lately are tried again before their time
 */
public record RoutePlan(
    Strategy strategy,
    List<Candidate> candidates,
    List<Candidate> ranked,
    RoutingRules rules,
    List<Exclusion> excluded,
    CredentialPolicy credentialPolicy) {
  /** Which keys may be tried. */
  public enum CredentialPolicy {
    /** Those that no provider refused lately. */
    HEALTHY_ONLY,
    /** Refused ones too: there is nobody else, and the provider's own answer says why. */
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

  /** Tries at most. */
  public int attemptsMax() {
    return rules.attemptsMax();
  }

  /** The most that a request costs at any of the models that may serve it. */
  public MicroUsd maxCost(Function<Model, MicroUsd> estimate) {
    Model model = ranked.getFirst().model();
    MicroUsd max = estimate.apply(model);
    for (Candidate candidate : ranked) {
      if (!candidate.model().id().equals(model.id())) { // candidates of one model stand together
        model = candidate.model();
        MicroUsd cost = estimate.apply(model);
        max = cost.compareTo(max) > 0 ? cost : max;
      }
    }
    return max;
  }

  /** Who may still be asked, in order, where so many tries were made. */
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
   * The value of {@code X-LLM-Routing-Reason} (docs/decisions/routing.md#routing-header).
   *
   * @param healthy whether {@code selected} serves, or failed through no fault of its own
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
