package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.money.MicroUsd;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The candidates of one request in the order in which they will be tried, never empty.
 *
 * @param attemptsMax tries per client request, whatever the candidates (DECISIONS 6)
 */
public record RoutePlan(String strategy, List<Candidate> candidates, int attemptsMax) {
  public RoutePlan {
    candidates = List.copyOf(candidates);
    if (candidates.isEmpty()) {
      throw new IllegalArgumentException("a plan needs a candidate");
    }
  }

  /** The model's routes by priority, the lowest number first. */
  public static RoutePlan byPriority(Model model, int attemptsMax) {
    return new RoutePlan(
        "priority",
        model.routes().stream()
            .sorted(Comparator.comparingInt(Route::priority))
            .map(Candidate::new)
            .toList(),
        attemptsMax);
  }

  /** Who may still be asked, in order, where {@code begun} tries were made at {@code asked}. */
  public List<Candidate> fallbacks(List<Candidate> asked, int begun) {
    Set<ProviderId> gone = new HashSet<>();
    asked.forEach(candidate -> gone.add(candidate.id()));
    return begun >= attemptsMax
        ? List.of()
        : candidates.stream().filter(candidate -> gone.add(candidate.id())).toList();
  }

  /**
   * The value of {@code X-LLM-Routing-Reason} (SPEC 2.3, DECISIONS 5).
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
        + strategy
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
        : fallbacks.stream().map(c -> c.id().value()).collect(Collectors.joining(","));
  }
}
