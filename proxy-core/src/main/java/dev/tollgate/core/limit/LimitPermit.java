package dev.tollgate.core.limit;

/**
 * Granted acquisition of one request from the rate-limit counters, ended exactly once. Confined to
 * the request's event loop.
 */
public final class LimitPermit {
  private final Counters counters;
  private final Acquire acquire;
  private boolean ended;

  public LimitPermit(Counters counters, Acquire acquire) {
    this.counters = counters;
    this.acquire = acquire;
  }

  /**
   * Frees the slot and corrects the estimated tokens.
   *
   * @param tokensUsed prompt, completion, and reasoning reported beside it; the prompt's estimate
   *     if the client left before the first event; 0 if the request failed
   */
  public void end(long tokensUsed) {
    if (ended) {
      throw new IllegalStateException("the permit of " + acquire.request() + " has ended before");
    }
    ended = true;
    counters.end(acquire, tokensUsed);
  }
}
