package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.catalog.Provider;
import java.time.Duration;

/** Timeouts of one attempt: those of its provider, adapted to the kind of request. */
record AttemptTimeouts(Provider provider, InferenceRequest request) {
  Provider.ProviderTimeouts clocks() {
    return provider.timeouts();
  }

  /** Returns the wait until the first check whether the deployment responds to any request. */
  Duration noResponse() {
    return provider.circuit().noResponseTimeout();
  }

  /**
   * Returns the wait for the head: the shorter one for a stream, the longer one for a plain reply,
   * which many providers write completely before they send the head.
   */
  Duration untilHead() {
    Duration head = clocks().responseHeader();
    Duration first = request.replyStartTimeout(clocks());
    boolean isHeadLonger = head.compareTo(first) > 0;
    return isHeadLonger == request.mayBeAnsweredWhole() ? head : first;
  }

  /** Returns the wait for the first byte of a plain body: others send the head at once. */
  Duration untilPlainBody() {
    return request.replyStartTimeout(clocks());
  }

  /** Returns the longest wait between bytes of a body, and for the whole body of an error. */
  Duration idle() {
    return clocks().idle();
  }
}
