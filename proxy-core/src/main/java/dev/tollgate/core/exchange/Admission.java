package dev.tollgate.core.exchange;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.Phase;
import dev.tollgate.core.exchange.frame.RateLimitPermit;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.ledger.Ledger;
import dev.tollgate.core.money.MicroUsd;
import io.netty.util.concurrent.EventExecutor;
import java.util.function.Consumer;

/**
 * The way into the providers: the worst case is set aside, then the limits are asked, then the
 * images that the request names by URL are fetched. What is answered after the request's end goes
 * back at once. Loop-confined.
 */
final class Admission implements InputImages.Listener {
  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final InferenceCall call;
  private final MicroUsd worstCase;
  private final InputImages images;
  private final Finish finish;
  private final Listener listener;
  private final Consumer<Runnable> guarded;

  /** Who wants in; told only while the request has not ended. */
  interface Listener {
    /** The limits are asked next, or images are fetched. */
    void reached(Phase next);

    void admitted();

    void refused(Fault fault, RequestOutcome outcome);
  }

  /**
   * @param worstCase what the request can cost at most
   * @param guarded runs a step so that a fault of ours does not go unnoticed
   */
  Admission(
      ExchangeContext context,
      ExchangeRequest request,
      InferenceCall call,
      MicroUsd worstCase,
      InputImages images,
      Finish finish,
      Listener listener,
      Consumer<Runnable> guarded) {
    this.context = context;
    this.request = request;
    this.call = call;
    this.worstCase = worstCase;
    this.images = images;
    this.finish = finish;
    this.listener = listener;
    this.guarded = guarded;
  }

  void begin(EventExecutor loop) {
    context
        .ledger()
        .reserve(
            request.id(),
            request.key(),
            worstCase,
            loop,
            answer -> guarded.accept(() -> reserved(answer, loop)));
  }

  private void reserved(Ledger.ReserveResult answer, EventExecutor loop) {
    switch (answer) {
      case Ledger.ReserveResult.Reserved reserved -> {
        finish.reservation().begin(reserved.reservation(), loop.ticker().nanoTime());
        if (finish.hasBegun()) {
          finish.reservation().abandon();
        } else {
          listener.reached(Phase.LIMITING);
          limit(loop);
        }
      }
      case Ledger.ReserveResult.Refused refused -> {
        if (!finish.hasBegun()) {
          RequestOutcome outcome =
              switch (refused.cause()) {
                case INSUFFICIENT_FUNDS -> RequestOutcome.REJECTED;
                case STORE_UNAVAILABLE -> RequestOutcome.DEPENDENCY_DOWN;
                case NODE_OVERLOADED -> RequestOutcome.SHED;
              };
          listener.refused(refused.fault(), outcome);
        }
      }
    }
  }

  private void limit(EventExecutor loop) {
    finish.rateLimit().acquire(request, call, loop, guarded, this::limited);
  }

  private void limited(RateLimitPermit.Verdict verdict) {
    if (finish.hasBegun()) {
      finish.rateLimit().end(0);
      return;
    }
    switch (verdict) {
      case RateLimitPermit.Verdict.Granted _ -> {
        finish.reservation().confirm();
        fetch();
      }
      case RateLimitPermit.Verdict.Refused refused ->
          listener.refused(refused.fault(), refused.outcome());
    }
  }

  private void fetch() {
    if (images.isEmpty()) {
      listener.admitted();
    } else {
      listener.reached(Phase.FETCHING);
      images.begin(this);
    }
  }

  @Override
  public void fetched() {
    listener.admitted();
  }

  @Override
  public void refused(Fault fault, RequestOutcome outcome) {
    listener.refused(fault, outcome);
  }
}
