package dev.tollgate.core.upstream;

/** How an acquisition ended. */
public sealed interface AcquisitionResult {
  record Leased(Lease lease) implements AcquisitionResult {}

  /** Connecting failed: refused, unresolvable, TLS. {@code reason} is for logs only. */
  record Unreachable(String reason) implements AcquisitionResult {}

  /** No connection within the connect clock. */
  record TimedOut() implements AcquisitionResult {}

  /**
   * Connections and waiting places are all taken ({@code pool.max_connections, pool.pending}), or
   * no place came free within the connect clock.
   */
  record PoolFull() implements AcquisitionResult {}
}
