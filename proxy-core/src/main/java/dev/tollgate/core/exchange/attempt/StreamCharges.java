package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.StreamingReply;
import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.money.Cost.PricedUsage;
import dev.tollgate.core.prompt.TokenRatios;
import dev.tollgate.core.routing.Candidate;
import java.util.ArrayList;
import java.util.List;

/**
 * Sum of the charges for one client stream over all providers that delivered parts of it.
 * Loop-confined.
 */
final class StreamCharges {
  private final TokenRatios ratios;
  private final List<PricedUsage> interruptedCharges = new ArrayList<>(0);
  private long interruptedTokens;

  StreamCharges(TokenRatios ratios) {
    this.ratios = ratios;
  }

  /** Adds the charge of a provider that broke off and is to be continued by another. */
  void interrupted(Candidate by, InferenceCall call, StreamingReply stream) {
    interruptedCharges.add(Charge.broken(by, call, stream, ratios));
    interruptedTokens += stream.deliveredTokens();
  }

  /** True if a provider delivered and broke off. */
  boolean isBegun() {
    return !interruptedCharges.isEmpty();
  }

  /** Returns the charge while no provider delivers. */
  Charge soFar() {
    return Charge.of(interruptedCharges);
  }

  /** Returns the charge if the delivering provider breaks off now. */
  Charge broken(Candidate by, InferenceCall call, StreamingReply stream) {
    return with(Charge.broken(by, call, stream, ratios));
  }

  /** Returns the charge if the last provider completed the stream. */
  Charge whole(Candidate by, InferenceCall call, StreamingReply stream) {
    return with(Charge.whole(by, call, stream, ratios));
  }

  private Charge with(PricedUsage last) {
    if (interruptedCharges.isEmpty()) { // nearly all streams
      return Charge.of(List.of(last));
    }
    List<PricedUsage> all = new ArrayList<>(interruptedCharges);
    all.add(last);
    return Charge.of(all);
  }

  /** Returns the gateway's count of all output, including the given stream's. */
  long tokens(StreamingReply stream) {
    return interruptedTokens + stream.deliveredTokens();
  }
}
