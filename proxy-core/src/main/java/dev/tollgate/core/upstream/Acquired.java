package dev.tollgate.core.upstream;

/** How an acquisition ended. */
public sealed interface Acquired {
  record Leased(Lease lease) implements Acquired {}

  /** Connecting failed: refused, unresolvable, TLS. {@code reason} is for logs only. */
  record Unreachable(String reason) implements Acquired {}

  /** No connection within the connect clock. */
  record TimedOut() implements Acquired {}

  /**
   * Connections and waiting places are all taken ({@code pool.max_connections, pool.pending}), or
   * no place came free within the connect clock.
   */
  record PoolFull() implements Acquired {}
}
