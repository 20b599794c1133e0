package dev.tollgate.core.exchange;

import dev.tollgate.core.endpoint.InferenceCall;
import dev.tollgate.core.endpoint.ReplyFlow;
import dev.tollgate.core.money.Cost.Priced;
import java.util.ArrayList;
import java.util.List;

/**
 * What a stream owes to all the providers that delivered to it: one charge, however many there
 * were. Loop-confined.
 */
final class Bill {
  private final List<Priced> before = new ArrayList<>(0);
  private long tokensBefore;

  /** A provider broke off, and another shall continue. */
  void brokeOff(InferenceCall call, ReplyFlow stream) {
    before.add(Charge.broken(call, stream));
    tokensBefore += stream.deliveredTokens();
  }

  /** Whether a provider delivered and broke off. */
  boolean isBegun() {
    return !before.isEmpty();
  }

  /** What is owed while nobody delivers. */
  Charge soFar() {
    return Charge.of(before);
  }

  /** What is owed if the one that delivers breaks off now. */
  Charge broken(InferenceCall call, ReplyFlow stream) {
    return with(Charge.broken(call, stream));
  }

  /** What is owed now that the last one completed the stream. */
  Charge whole(InferenceCall call, ReplyFlow stream) {
    return with(Charge.whole(call, stream));
  }

  private Charge with(Priced last) {
    List<Priced> all = new ArrayList<>(before);
    all.add(last);
    return Charge.of(all);
  }

  /** Our count of the output, the stream's included. */
  long tokens(ReplyFlow stream) {
    return tokensBefore + stream.deliveredTokens();
  }
}
