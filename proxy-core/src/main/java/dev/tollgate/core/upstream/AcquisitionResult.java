package dev.tollgate.core.upstream;

/** Result of requesting a connection from a pool: its lease, or why none was available. */
public sealed interface AcquisitionResult {
  record Leased(Lease lease) implements AcquisitionResult {}

  /**
   * Connecting failed: refused, name not resolved, or TLS failed. {@code reason} is for logs only.
   */
  record Unreachable(String reason) implements AcquisitionResult {}

  /** No connection was established within the connect timeout. */
  record TimedOut() implements AcquisitionResult {}

  /**
   * All connections are in use and the queue is full ({@code pool.max_connections, pool.pending}),
   * or no connection became available within the connect timeout.
   */
  record PoolFull() implements AcquisitionResult {}
}
