package dev.tollgate.core.limit;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;

/**
 * Observer of requests and fallbacks that rate limits refuse, for metrics. Called on event loops;
 * must not block.
 */
public interface LimitObserver {
  /** A request was refused with a limit's 429, or with 503 because the counters did not answer. */
  void refused(Fault fault);

  /** A fallback model was skipped because of its own limit. */
  void fallbackSkipped(ModelId model, Fault why);
}
