package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.StreamingReply;
import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.money.Cost.PricedUsage;
import java.util.ArrayList;
import java.util.List;

/**
 * What a stream owes to all the providers that delivered to it: one charge, however many there
 * were. Loop-confined.
 */
final class StreamCharges {
  private final List<PricedUsage> interruptedCharges = new ArrayList<>(0);
  private long interruptedTokens;

  /** A provider broke off, and another shall continue. */
  void interrupted(InferenceCall call, StreamingReply stream) {
    interruptedCharges.add(Charge.broken(call, stream));
    interruptedTokens += stream.deliveredTokens();
  }

  /** Whether a provider delivered and broke off. */
  boolean isBegun() {
    return !interruptedCharges.isEmpty();
  }

  /** What is owed while nobody delivers. */
  Charge soFar() {
    return Charge.of(interruptedCharges);
  }

  /** What is owed if the one that delivers breaks off now. */
  Charge broken(InferenceCall call, StreamingReply stream) {
    return with(Charge.broken(call, stream));
  }

  /** What is owed now that the last one completed the stream. */
  Charge whole(InferenceCall call, StreamingReply stream) {
    return with(Charge.whole(call, stream));
  }

  private Charge with(PricedUsage last) {
    List<PricedUsage> all = new ArrayList<>(interruptedCharges);
    all.add(last);
    return Charge.of(all);
  }

  /** Our count of the output, the stream's included. */
  long tokens(StreamingReply stream) {
    return interruptedTokens + stream.deliveredTokens();
  }
}
