package dev.tollgate.core.exchange.frame;

/**
 * Observer of ended requests, the port to the access log and the metrics. Called on event loops: it
 * must neither block nor throw.
 */
public interface RequestObserver {
  /** A request ended; called exactly once for each. */
  void ended(RequestRecord record);
}
