package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.RoutingRules;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * Retry budget of one provider, which allows a share of its requests plus a few per second as
 * retries, so that retries never multiply an outage. Shared by all loops: requests are only
 * counted, and what they earn is computed when a retry asks, in one atomic reference to an
 * immutable balance.
 */
final class RetryBudget {
  private static final double BURST_MIN = 10;
  private static final double NANOS = 1e9;

  private final LongAdder requests = new LongAdder();
  private final Map<ExtraAttempt, LongAdder> refused =
      Map.of(ExtraAttempt.RETRY, new LongAdder(), ExtraAttempt.HEDGE, new LongAdder());
  private final AtomicReference<Balance> balance = new AtomicReference<>(new Balance(0, 0, -1));

  /** Number of retries left at a time; below zero if none was taken yet. */
  private record Balance(long requests, long atNanos, double tokens) {}

  void request() {
    requests.increment();
  }

  /** Takes one retry. Returns false if the budget is used up. */
  boolean tryTake(ExtraAttempt purpose, RoutingRules rules, long nowNanos) {
    while (true) {
      Balance before = Objects.requireNonNull(balance.get());
      long counted = requests.sum();
      double tokens = earned(before, rules, counted, nowNanos);
      if (tokens < 1) {
        refusedOf(purpose).increment();
        return false;
      }
      if (balance.compareAndSet(before, new Balance(counted, nowNanos, tokens - 1))) {
        return true;
      }
    }
  }

  /** True if one retry could be taken now. */
  boolean isAvailable(RoutingRules rules, long nowNanos) {
    return earned(Objects.requireNonNull(balance.get()), rules, requests.sum(), nowNanos) >= 1;
  }

  private static double earned(Balance before, RoutingRules rules, long counted, long nowNanos) {
    double byShare = rules.retryShare() * (counted - before.requests());
    double bySecond =
        before.tokens() < 0
            ? rules.retriesPerSecondMin()
            : rules.retriesPerSecondMin() * Math.max(0, (nowNanos - before.atNanos()) / NANOS);
    double limit = Math.max(rules.retriesPerSecondMin(), BURST_MIN);
    return Math.min(limit, Math.max(0, before.tokens()) + byShare + bySecond);
  }

  long refused(ExtraAttempt purpose) {
    return refusedOf(purpose).sum();
  }

  private LongAdder refusedOf(ExtraAttempt purpose) {
    return Objects.requireNonNull(refused.get(purpose));
  }
}
