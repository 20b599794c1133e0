package dev.tollgate.core.ledger;

import java.time.Duration;

/**
 * The times and bounds of a node's ledger.
 *
 * @param outageGrace how long admission goes on from leases while the books cannot be reached; zero
 *     ends it with the first failure
 * @param leaseTtl after which others may treat a silent node's lease as lost; the node stops
 *     spending a minute earlier
 * @param tick between two signs of life to the books
 * @param waitMax how long a request may wait for a grant
 * @param waitersMax requests that wait for grants at most
 * @param idle after which an unused lease is given back
 */
public record LedgerRules(
    Duration outageGrace,
    Duration leaseTtl,
    Duration tick,
    Duration waitMax,
    int waitersMax,
    Duration idle) {
  public static final LedgerRules DEFAULT = of(Duration.ofSeconds(60), Duration.ofMinutes(10));

  /** What the configuration says, and the rest as it is. */
  public static LedgerRules of(Duration outageGrace, Duration leaseTtl) {
    return new LedgerRules(
        outageGrace,
        leaseTtl,
        Duration.ofMillis(100),
        Duration.ofSeconds(1),
        10_000,
        Duration.ofSeconds(60));
  }

  /** Without a sign of life for this long a node may not spend. */
  Duration heartbeatTimeout() {
    Duration beforeLoss = leaseTtl.minusSeconds(60);
    Duration fence = beforeLoss.isPositive() ? beforeLoss : leaseTtl.dividedBy(2);
    // A tick that takes its time is no outage.
    Duration grace =
        outageGrace.compareTo(tick.multipliedBy(20)) < 0 ? tick.multipliedBy(20) : outageGrace;
    return grace.compareTo(fence) < 0 ? grace : fence;
  }
}
