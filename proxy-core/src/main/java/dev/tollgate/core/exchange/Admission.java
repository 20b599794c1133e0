package dev.tollgate.core.exchange;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.Phase;
import dev.tollgate.core.exchange.frame.RateLimitPermit;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.ledger.Ledger;
import dev.tollgate.core.money.MicroUsd;

/**
 * Admission of one inference request before its first attempt: reserves the worst-case cost,
 * acquires the rate-limit permit, and judges or fetches the media that it names by URL. Results
 * that arrive after the request's end are ended at once. Loop-confined.
 */
final class Admission implements InputMedia.Listener {
  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final Downstream downstream;
  private final Holdings holdings;
  private final InputMedia media;
  private final RequestLoop loop;
  private final Listener listener;

  /** The exchange that waits for admission; not called after the request's end. */
  interface Listener {
    /** A phase begins: the limits are checked, or media are judged or fetched. */
    void reached(Phase next);

    void admitted();

    void refused(Fault fault, RequestOutcome outcome);
  }

  Admission(
      ExchangeContext context,
      ExchangeRequest request,
      Downstream downstream,
      Holdings holdings,
      InputMedia media,
      RequestLoop loop,
      Listener listener) {
    this.context = context;
    this.request = request;
    this.downstream = downstream;
    this.holdings = holdings;
    this.media = media;
    this.loop = loop;
    this.listener = listener;
  }

  /**
   * Begins with the reservation.
   *
   * @param asked the model that the client named
   * @param worstCase the highest possible cost of the request
   */
  void begin(InferenceCall call, ModelId asked, MicroUsd worstCase) {
    loop.check();
    context
        .admission()
        .ledger()
        .reserve(
            request.id(),
            request.key(),
            worstCase,
            loop.eventLoop(),
            loop.guarded(answer -> reserved(answer, call, asked)));
  }

  private void reserved(Ledger.ReserveResult answer, InferenceCall call, ModelId asked) {
    switch (answer) {
      case Ledger.ReserveResult.Reserved reserved -> {
        if (holdings.reserved(reserved.reservation())) {
          listener.reached(Phase.LIMITING);
          holdings.rateLimit().acquire(request, call, asked, this::limited);
        }
      }
      case Ledger.ReserveResult.Refused refused -> {
        if (!holdings.isEnding()) {
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

  private void limited(RateLimitPermit.Verdict verdict) {
    if (holdings.isEnding()) {
      holdings.rateLimit().end(0);
      return;
    }
    switch (verdict) {
      case RateLimitPermit.Verdict.Granted _ -> {
        holdings.confirm();
        downstream.admitted();
        fetch();
      }
      case RateLimitPermit.Verdict.Refused refused ->
          listener.refused(refused.fault(), refused.outcome());
    }
  }

  private void fetch() {
    if (media.isEmpty()) {
      listener.admitted();
    } else {
      listener.reached(Phase.FETCHING);
      media.begin(this);
    }
  }

  @Override
  public void mediaReady() {
    listener.admitted();
  }

  @Override
  public void refused(Fault fault, RequestOutcome outcome) {
    listener.refused(fault, outcome);
  }
}
