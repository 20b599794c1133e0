package dev.tollgate.core.ledger;

import java.time.Duration;

/**
 * Configured times and bounds of a node's ledger: outages, leases, heartbeats and waiting requests.
 *
 * @param outageGrace how long admission continues from leases while the ledger store cannot be
 *     reached; zero ends it with the first failure
 * @param leaseTtl time after which others may treat an unresponsive node's lease as lost; the node
 *     stops spending a minute earlier
 * @param tick time between two heartbeats
 * @param waitMax how long a request may wait for a grant
 * @param waitersMax requests that wait for grants at most
 * @param idle time after which an unused lease is returned
 */
public record LedgerRules(
    Duration outageGrace,
    Duration leaseTtl,
    Duration tick,
    Duration waitMax,
    int waitersMax,
    Duration idle) {
  public static final LedgerRules DEFAULT = of(Duration.ofSeconds(60), Duration.ofMinutes(10));

  /** Rules with the configured times and the defaults of the others. */
  public static LedgerRules of(Duration outageGrace, Duration leaseTtl) {
    return new LedgerRules(
        outageGrace,
        leaseTtl,
        Duration.ofMillis(100),
        Duration.ofSeconds(1),
        10_000,
        Duration.ofSeconds(60));
  }

  /** Returns the time without a heartbeat after which the node may not spend. */
  Duration heartbeatTimeout() {
    Duration beforeLoss = leaseTtl.minusSeconds(60);
    Duration fence = beforeLoss.isPositive() ? beforeLoss : leaseTtl.dividedBy(2);
    // A slow tick is no outage.
    Duration grace =
        outageGrace.compareTo(tick.multipliedBy(20)) < 0 ? tick.multipliedBy(20) : outageGrace;
    return grace.compareTo(fence) < 0 ? grace : fence;
  }
}
