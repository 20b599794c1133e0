package dev.tollgate.core.exchange.frame;

/**
 * Task that answers one request: an exchange, an account query, a job task or an immediate reply.
 * Loop-confined.
 */
public interface RequestTask extends RequestService.Running {
  /** Begins to answer; the reply goes to the downstream, now or later. */
  void begin();
}
