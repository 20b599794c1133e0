package dev.tollgate.core.egress;

import java.time.Duration;

/**
 * Port to the metrics of image downloads from clients' URLs. Its methods are called on event loops:
 * implementations neither block nor throw.
 */
public interface FetchObserver {
  /** A fetch ended; called exactly once for each fetch. */
  void ended(FetchOutcome outcome, long bytes, Duration took);
}
