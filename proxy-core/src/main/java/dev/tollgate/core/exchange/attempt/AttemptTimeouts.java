package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.catalog.Provider;
import java.time.Duration;

/** How long one provider is waited for by one request: its clocks, as what is asked needs them. */
record AttemptTimeouts(Provider provider, InferenceRequest request) {
  Provider.ProviderTimeouts clocks() {
    return provider.timeouts();
  }

  /** After so long it is asked for whether the provider answers anybody. */
  Duration noResponse() {
    return provider.circuit().noResponseTimeout();
  }

  /** Many providers send the head of a plain reply only when they have written all of it. */
  Duration untilHead() {
    Duration head = clocks().responseHeader();
    Duration first = request.replyStartTimeout(clocks());
    return !request.mayBeAnsweredWhole() || head.compareTo(first) > 0 ? head : first;
  }

  /** Others send it at once and think then. */
  Duration untilPlainBody() {
    return request.replyStartTimeout(clocks());
  }

  /** Between the bytes of a body; an error's whole body has no more. */
  Duration idle() {
    return clocks().idle();
  }
}
