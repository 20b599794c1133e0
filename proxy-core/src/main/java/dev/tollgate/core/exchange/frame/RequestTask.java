package dev.tollgate.core.exchange.frame;

/** A request with the decision how it is answered. Loop-confined. */
public interface RequestTask extends RequestService.Running {
  /** Begins to answer; the reply goes to the downstream, now or later. */
  void begin();
}
