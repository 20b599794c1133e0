package dev.tollgate.server.ops;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.limit.LimitObserver;
import io.prometheus.metrics.core.metrics.Counter;

/** Counts what limits did. Models, codes and scopes are closed lists. Runs on event loops. */
public final class LimitMetrics implements LimitObserver {
  private final Counter refusals;
  private final Counter passedOver;

  public LimitMetrics(Metrics metrics) {
    refusals = metrics.counter(Family.LIMIT_REFUSALS);
    passedOver = metrics.counter(Family.LIMIT_PASSED_OVER);
  }

  @Override
  public void refused(Fault fault) {
    Object scope = fault.details().getOrDefault("scope", "none");
    refusals.labelValues(fault.code().wire(), scope.toString()).inc();
  }

  @Override
  public void passedOver(ModelId model, Fault why) {
    passedOver.labelValues(model.toString(), why.code().wire()).inc();
  }
}
