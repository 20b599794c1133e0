package dev.tollgate.core.testkit;

import static java.util.Comparator.comparingInt;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.routing.Breaker;
import dev.tollgate.core.routing.Breaker.State;
import dev.tollgate.core.routing.DeploymentCircuits;
import dev.tollgate.core.routing.Fleet;
import java.util.ArrayList;
import java.util.List;

/** Circuits on which one organization's requests to a provider depend. */
public record ObservedCircuits(List<Breaker> all) {
  static ObservedCircuits of(
      Fleet fleet, Catalog catalog, Provider provider, OrgId org, long nowNanos) {
    List<Breaker> all = new ArrayList<>(List.of(fleet.provider(provider).endpoint()));
    catalog.models().stream()
        .flatMap(model -> model.routes().stream())
        .filter(route -> route.provider().id().equals(provider.id()))
        .forEach(
            route -> {
              DeploymentCircuits circuits = fleet.route(route).circuits();
              all.add(circuits.model());
              circuits.ofOrg(org, nowNanos).ifPresent(all::add);
            });
    return new ObservedCircuits(all);
  }

  /** Returns the state of the circuit that is farthest from closed. */
  public State state() {
    return all.stream().map(Breaker::state).max(comparingInt(ObservedCircuits::rank)).orElseThrow();
  }

  private static int rank(State state) {
    return switch (state) {
      case State.Closed _ -> 0;
      case State.HalfOpen _ -> 1;
      case State.Open _ -> 2;
    };
  }

  /** True if none of them remembers a failure, or ever opened. */
  public boolean isUntouched() {
    return all.stream().allMatch(one -> one.state().equals(new State.Closed(0, List.of())));
  }

  public long waitNanos(long nowNanos) {
    return all.stream().mapToLong(one -> one.waitNanos(nowNanos)).max().orElseThrow();
  }
}
