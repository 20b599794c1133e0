package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.routing.Breaker.Failure;
import java.util.List;

/**
 * Rule by which failures open a closed circuit: counts the successes, and decides which failures
 * are remembered and whether they are enough. Shared by all loops.
 */
sealed interface TripRule permits LatestFailures, FailuresByOrg {
  /** Counts a success. */
  void succeeded(CircuitOptions rules, long nowNanos);

  /** Counts a failure, and returns it as it is to be remembered. */
  Failure failed(OrgId org, long nowNanos);

  /** Returns the failures to remember after one more; the last one is the new one. */
  List<Failure> add(List<Failure> earlier, Failure failure, CircuitOptions rules);

  /** True if these failures open the circuit at the time of the last one. */
  boolean trips(List<Failure> failures, CircuitOptions rules);
}
