package dev.tollgate.bench;

/** Sends the requests that are due in a load, if a connection is free. */
public interface RequestSender {
  /**
   * Sends a request that should have started at {@code intendedNanos}. Returns false if no
   * connection is free; the load tries again when one is.
   */
  boolean trySend(long intendedNanos, long nowNanos);
}
