package dev.tollgate.server.wiring;

import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.Limits;
import dev.tollgate.core.limit.LocalCounters;
import dev.tollgate.server.ops.Family;
import dev.tollgate.server.ops.LimitMetrics;
import dev.tollgate.server.ops.Metrics;
import dev.tollgate.server.settings.LimitSettings;
import io.netty.util.concurrent.Ticker;
import java.util.function.Supplier;

/** The limits of this node: who counts them, and what the metrics say of it. */
final class Limiting {
  private Limiting() {}

  /**
   * @param rules those of the configuration in use
   */
  static Limits begin(LimitSettings settings, Supplier<LimitRules> rules, Metrics metrics) {
    var counters = new LocalCounters(Ticker.systemTicker()::nanoTime, settings.bucketsMax());
    metrics.gauge(Family.LIMIT_SLOTS, counters::slotsInUse);
    metrics.gauge(Family.LIMIT_BUCKETS, counters::bucketsHeld);
    return new Limits(counters, rules, new LimitMetrics(metrics));
  }
}
