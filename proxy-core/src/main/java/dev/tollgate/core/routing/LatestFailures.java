package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.routing.Breaker.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Rule that counts every failure: the latest ones within the window trip the circuit if they are at
 * least half of all outcomes since the first of them. At high load some failures are always within
 * the window. Shared by all loops: one counter.
 */
final class LatestFailures implements TripRule {
  private final AtomicLong outcomes = new AtomicLong();

  @Override
  public void succeeded(CircuitOptions rules, long nowNanos) {
    outcomes.incrementAndGet();
  }

  @Override
  public Failure failed(OrgId org, long nowNanos) {
    return new Failure(org, nowNanos, outcomes.incrementAndGet());
  }

  @Override
  public List<Failure> add(List<Failure> earlier, Failure failure, CircuitOptions rules) {
    List<Failure> recent = new ArrayList<>();
    int kept = Math.min(earlier.size(), rules.failures() - 1);
    for (Failure one : earlier.subList(earlier.size() - kept, earlier.size())) {
      if (failure.atNanos() - one.atNanos() <= rules.window().toNanos()) {
        recent.add(one);
      }
    }
    recent.add(failure);
    return recent;
  }

  @Override
  public boolean trips(List<Failure> failures, CircuitOptions rules) {
    long since = failures.getLast().outcomes() - failures.getFirst().outcomes() + 1;
    return failures.size() >= rules.failures() && since <= 2L * failures.size();
  }
}
