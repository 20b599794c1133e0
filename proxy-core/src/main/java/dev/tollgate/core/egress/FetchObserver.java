package dev.tollgate.core.egress;

import java.time.Duration;

/** Port to the metrics. Called on event loops: it must neither block nor throw. */
public interface FetchObserver {
  /** A fetch ended; called exactly once for each. */
  void ended(FetchOutcome outcome, long bytes, Duration took);
}
