package dev.tollgate.core.limit;

/** What a request took of the limits, ended exactly once. Confined to the request's loop. */
public final class Permit {
  private final Counters counters;
  private final Draw draw;
  private boolean ended;

  public Permit(Counters counters, Draw draw) {
    this.counters = counters;
    this.draw = draw;
  }

  /**
   * Frees the slot and corrects what was estimated.
   *
   * @param tokensUsed prompt, completion and thoughts beside it; 0 where nothing was delivered
   */
  public void end(long tokensUsed) {
    if (ended) {
      throw new IllegalStateException("the permit of " + draw.request() + " has ended before");
    }
    ended = true;
    counters.end(draw, tokensUsed);
  }
}
