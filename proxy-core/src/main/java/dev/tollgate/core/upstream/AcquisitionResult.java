package dev.tollgate.core.upstream;

/** Result of requesting a connection from a pool: its lease, or why none was available. */
public sealed interface AcquisitionResult {
  record Leased(Lease lease) implements AcquisitionResult {}

  /**
   * Connecting failed: refused, name not resolved, or proxy or TLS failed. {@code reason} begins
   * with the fault and is for logs only.
   */
  record Unreachable(ConnectFault fault, String reason) implements AcquisitionResult {}

  /**
   * No connection was established within the connect timeout.
   *
   * @param fault the step that was waited for
   */
  record TimedOut(ConnectFault fault) implements AcquisitionResult {
    /** Returns the reason for logs. */
    public String reason() {
      return fault.wire() + ": not within the connect timeout";
    }
  }

  /**
   * All connections are in use and the queue is full ({@code pool.max_connections, pool.pending}),
   * or no connection became available within the connect timeout.
   */
  record PoolFull() implements AcquisitionResult {}
}
