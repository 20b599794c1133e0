package dev.tollgate.core.limit;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;

/** Hears what limits did. Called on event loops: it must not block. */
public interface LimitObserver {
  /** A request was refused: a limit's 429, or the 503 of limits that nobody could count. */
  void refused(Fault fault);

  /** A model that a request would have fallen back to was not asked, because of its own limit. */
  void fallbackSkipped(ModelId model, Fault why);
}
