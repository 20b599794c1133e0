package dev.tollgate.bench;

/** Who sends the requests that a load is due to send. */
public interface RequestSender {
  /**
   * Sends a request that should have started at {@code intendedNanos}; false where no connection is
   * free. Then the load looks again when one is.
   */
  boolean trySend(long intendedNanos, long nowNanos);
}
