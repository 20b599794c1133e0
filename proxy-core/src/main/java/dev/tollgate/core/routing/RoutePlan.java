package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.money.MicroUsd;
import java.util.Comparator;
import java.util.List;
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

  /** The value of {@code X-LLM-Routing-Reason} (SPEC 2.3, DECISIONS 5). */
  public String reason(Candidate selected, MicroUsd cost, boolean committedEarly) {
    return "strategy="
        + strategy
        + " selected="
        + selected.id()
        + " priority="
        + selected.route().priority()
        + " cost_micro="
        + cost.value()
        + " healthy=true fallbacks="
        + fallbacks(selected.id())
        + (committedEarly ? " committed=early" : "");
  }

  private String fallbacks(ProviderId selected) {
    int at = 0;
    while (!candidates.get(at).id().equals(selected)) {
      at++;
    }
    List<Candidate> rest = candidates.subList(at + 1, candidates.size());
    return rest.isEmpty()
        ? "none"
        : rest.stream().map(c -> c.id().value()).distinct().collect(Collectors.joining(","));
  }
}
