package dev.tollgate.server.ops;

import dev.tollgate.core.exchange.frame.DrainQuota;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.ProviderFamily;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Prometheus metrics of streams that are drained after their clients disconnected. */
public final class DrainMetrics {
  private final DrainQuota quota;

  private DrainMetrics(DrainQuota quota) {
    this.quota = quota;
  }

  public static void register(DrainQuota quota, Metrics metrics) {
    var drains = new DrainMetrics(quota);
    metrics.gauges(ProviderFamily.DRAINING_STREAMS, drains::draining);
    metrics.counters(ProviderFamily.DRAINS, drains::totals);
  }

  private Map<String, Integer> draining() {
    return quota.figures().entrySet().stream()
        .collect(Collectors.toMap(one -> one.getKey().value(), one -> one.getValue().draining()));
  }

  private Map<List<String>, Long> totals() {
    Map<List<String>, Long> totals = new HashMap<>();
    quota.figures().forEach((provider, figures) -> put(provider, figures, totals));
    return totals;
  }

  private static void put(
      ProviderId provider, DrainQuota.Figures figures, Map<List<String>, Long> totals) {
    totals.put(List.of(provider.value(), "drained"), figures.drained());
    totals.put(List.of(provider.value(), "no_room"), figures.refused());
  }
}
