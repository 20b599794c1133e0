package dev.tollgate.core.limit;

/** What a request took of the limits, ended exactly once. Confined to the request's loop. */
public final class LimitPermit {
  private final Counters counters;
  private final Acquire acquire;
  private boolean ended;

  public LimitPermit(Counters counters, Acquire acquire) {
    this.counters = counters;
    this.acquire = acquire;
  }

  /**
   * Frees the slot and corrects what was estimated.
   *
   * @param tokensUsed prompt, completion and thoughts beside it; 0 where nothing was delivered
   */
  public void end(long tokensUsed) {
    if (ended) {
      throw new IllegalStateException("the permit of " + acquire.request() + " has ended before");
    }
    ended = true;
    counters.end(acquire, tokensUsed);
  }
}
