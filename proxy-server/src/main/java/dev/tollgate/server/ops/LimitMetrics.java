package dev.tollgate.server.ops;

import dev.tollgate.core.fault.Fault;
import io.prometheus.metrics.core.metrics.Counter;
import java.util.function.Consumer;

/** Counts what limits refused, by code and scope: both are closed lists. Runs on event loops. */
public final class LimitMetrics implements Consumer<Fault> {
  private final Counter refusals;

  public LimitMetrics(Metrics metrics) {
    refusals = metrics.counter(Family.LIMIT_REFUSALS);
  }

  @Override
  public void accept(Fault fault) {
    Object scope = fault.details().getOrDefault("scope", "none");
    refusals.labelValues(fault.code().wire(), scope.toString()).inc();
  }
}
