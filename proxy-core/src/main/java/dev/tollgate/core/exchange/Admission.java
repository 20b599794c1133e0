package dev.tollgate.core.exchange;

import dev.tollgate.core.api.InferenceRequest.OutputBound;
import dev.tollgate.core.exchange.attempt.CurrentAttempt;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.Phase;
import dev.tollgate.core.exchange.frame.RateLimitPermit;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.ledger.Ledger;
import java.util.HashMap;
import java.util.Map;

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

  /** Begins with the reservation. */
  void begin(CurrentAttempt current) {
    loop.check();
    context
        .admission()
        .ledger()
        .reserve(
            request.id(),
            request.key(),
            current.reservationAmount(),
            loop.eventLoop(),
            loop.guarded(answer -> reserved(answer, current)));
  }

  private void reserved(Ledger.ReserveResult answer, CurrentAttempt current) {
    switch (answer) {
      case Ledger.ReserveResult.Reserved reserved -> {
        if (holdings.reserved(reserved.reservation())) {
          listener.reached(Phase.LIMITING);
          holdings.rateLimit().acquire(request, current.call(), current.asked(), this::limited);
        }
      }
      case Ledger.ReserveResult.Refused refused -> {
        if (!holdings.isEnding()) {
          refuse(refused, current);
        }
      }
    }
  }

  private void refuse(Ledger.ReserveResult.Refused refused, CurrentAttempt current) {
    switch (refused.cause()) {
      case INSUFFICIENT_FUNDS ->
          listener.refused(advised(refused, current), RequestOutcome.REJECTED);
      case STORE_UNAVAILABLE -> listener.refused(refused.fault(), RequestOutcome.DEPENDENCY_DOWN);
      case NODE_OVERLOADED -> listener.refused(refused.fault(), RequestOutcome.SHED);
    }
  }

  /** Returns the 402 with the bound of the output under which the request would be admitted. */
  private static Fault advised(Ledger.ReserveResult.Refused refused, CurrentAttempt current) {
    OutputBound bound = current.call().request().outputBound().orElse(null);
    long tokens = bound == null ? 0 : current.outputTokensWithin(refused.available(), bound);
    if (bound == null || tokens == 0) {
      return refused.fault();
    }
    Fault fault = refused.fault();
    Map<String, Object> details = new HashMap<>(fault.details());
    details.put("fitting_max_tokens", tokens);
    String advice = " It fits with " + bound.param() + " of at most " + tokens + ".";
    return Fault.of(fault.code(), fault.message() + advice).withDetails(details);
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
