package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.routing.Breaker.Failure;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Rule for a circuit over all organizations: failures trip it only if several organizations met
 * them, and a few of each count. They must be at least half of the outcomes so counted within the
 * window; or within its second half, so that an outage is seen soon after many successes. Shared by
 * all loops.
 */
final class FailuresByOrg implements TripRule {
  /** Organizations that must have failed. */
  static final int ORGS_MIN = 3;

  /** Failures of one organization that count. */
  static final int COUNTED_OF_ORG_MAX = 2;

  /** Failures that are remembered; beyond it the window is shorter, from the oldest one on. */
  static final int COUNTED_MAX = 256;

  /** Slots of the second half of the window, beside the one that has begun. */
  private static final int LATEST_SLOTS = RecentSuccesses.SLOTS / 2 - 1;

  private final RecentSuccesses successes = new RecentSuccesses();

  @Override
  public void succeeded(CircuitOptions rules, long nowNanos) {
    successes.add(RecentSuccesses.slot(rules.window(), nowNanos));
  }

  @Override
  public Failure failed(OrgId org, long nowNanos) {
    return new Failure(org, nowNanos, 0);
  }

  @Override
  public List<Failure> add(List<Failure> earlier, Failure failure, CircuitOptions rules) {
    long start = slot(failure, rules) - RecentSuccesses.SLOTS;
    List<Failure> recent = new ArrayList<>(earlier.size() + 1);
    int ofOrg = 1;
    for (int i = earlier.size() - 1; i >= 0; i--) { // the latest of each organization count
      Failure one = earlier.get(i);
      boolean same = one.org().equals(failure.org());
      ofOrg += same ? 1 : 0;
      if (slot(one, rules) >= start && (!same || ofOrg <= COUNTED_OF_ORG_MAX)) {
        recent.add(one);
      }
    }
    List<Failure> kept = recent.size() < COUNTED_MAX ? recent : recent.subList(0, COUNTED_MAX - 1);
    List<Failure> inOrder = new ArrayList<>(kept.reversed());
    inOrder.add(failure);
    return inOrder;
  }

  @Override
  public boolean trips(List<Failure> failures, CircuitOptions rules) {
    long end = slot(failures.getLast(), rules);
    long oldest = failures.size() < COUNTED_MAX ? Long.MIN_VALUE : slot(failures.getFirst(), rules);
    return trips(failures, Math.max(oldest, end - RecentSuccesses.SLOTS), rules)
        || trips(failures, Math.max(oldest, end - LATEST_SLOTS), rules);
  }

  private boolean trips(List<Failure> failures, long start, CircuitOptions rules) {
    Set<OrgId> orgs = new HashSet<>();
    int counted = 0;
    for (Failure one : failures) {
      if (slot(one, rules) >= start) {
        orgs.add(one.org());
        counted++;
      }
    }
    return counted >= rules.failures()
        && orgs.size() >= ORGS_MIN
        && counted >= successes.since(start, slot(failures.getLast(), rules));
  }

  private static long slot(Failure failure, CircuitOptions rules) {
    return RecentSuccesses.slot(rules.window(), failure.atNanos());
  }
}
