package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.RateLimitPermit;
import dev.tollgate.core.id.ModelId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Counter of one request in the rate limits of its fallback models, at most once for each. The
 * model that the request names was counted at admission. Loop-confined.
 */
public final class FallbackLimits {
  private final ExchangeRequest request;
  private final RateLimitPermit rateLimit;
  private final List<ModelId> granted = new ArrayList<>(0);
  private final List<ModelId> requestedAhead = new ArrayList<>(0);
  private boolean ended;

  public FallbackLimits(ExchangeRequest request, RateLimitPermit rateLimit) {
    this.request = request;
    this.rateLimit = rateLimit;
  }

  /** True if the limits of a model have counted this request. */
  boolean isGranted(ModelId model) {
    return granted.contains(model);
  }

  /**
   * Counts the request in the limits of a model.
   *
   * @param whenKnown not called after the request's end
   */
  void acquire(ModelId model, Consumer<RateLimitPermit.Verdict> whenKnown) {
    rateLimit.acquireForFallback(
        request,
        model,
        verdict -> {
          if (!ended) {
            if (verdict instanceof RateLimitPermit.Verdict.Granted) {
              granted.add(model);
            }
            whenKnown.accept(verdict);
          }
        });
  }

  /**
   * Counts as {@link #acquire} does, before the current attempt has failed: at most once per model.
   */
  void acquireAhead(ModelId model, Consumer<RateLimitPermit.Verdict> whenKnown) {
    if (!requestedAhead.contains(model)) {
      requestedAhead.add(model);
      acquire(model, whenKnown);
    }
  }

  void end() {
    ended = true;
  }
}
