package dev.tollgate.server.ops;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.limit.LimitObserver;
import dev.tollgate.server.metrics.LimitFamily;
import dev.tollgate.server.metrics.Metrics;
import io.prometheus.metrics.core.metrics.Counter;

/**
 * Observer that counts requests refused, and fallback models skipped, because of limits. Models,
 * codes and scopes are closed lists. It runs on event loops.
 */
public final class LimitMetrics implements LimitObserver {
  private final Counter refusals;
  private final Counter fallbackSkipped;

  public LimitMetrics(Metrics metrics) {
    refusals = metrics.counter(LimitFamily.LIMIT_REFUSALS);
    fallbackSkipped = metrics.counter(LimitFamily.FALLBACKS_SKIPPED_BY_LIMIT);
  }

  @Override
  public void refused(Fault fault) {
    Object scope = fault.details().getOrDefault("scope", "none");
    refusals.labelValues(fault.code().wire(), scope.toString()).inc();
  }

  @Override
  public void fallbackSkipped(ModelId model, Fault why) {
    fallbackSkipped.labelValues(model.toString(), why.code().wire()).inc();
  }
}
