package dev.tollgate.core.exchange;

import dev.tollgate.core.endpoint.ChatCall;
import dev.tollgate.core.endpoint.ChatReply;
import dev.tollgate.core.endpoint.ChatStream;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;

/** What a request used and what that costs: the provider's count where it gave one, else ours. */
record Charge(Usage usage, MicroUsd cost) {
  /** Nothing was delivered, so nothing is charged. */
  static final Charge NOTHING = new Charge(Usage.estimate(0, 0), MicroUsd.ZERO);

  static Charge of(ChatCall call, ChatStream stream) {
    return of(
        call, stream.reportedUsage().orElseGet(() -> estimated(call, stream.deliveredTokens())));
  }

  /** What was delivered of a stream that broke off: a count on the way is not the last word. */
  static Charge ofBroken(ChatCall call, ChatStream stream) {
    if (stream.finished()) {
      return of(call, stream);
    }
    long delivered = stream.deliveredTokens();
    return of(
        call,
        stream
            .reportedUsage()
            .filter(reported -> reported.promptTokens() > 0)
            .map(reported -> reported.brokenOff(delivered))
            .orElseGet(() -> estimated(call, delivered)));
  }

  static Charge of(ChatCall call, ChatReply reply) {
    return of(
        call, reply.reportedUsage().orElseGet(() -> estimated(call, reply.deliveredTokens())));
  }

  private static Usage estimated(ChatCall call, long deliveredTokens) {
    return Usage.estimate(call.request().promptTokensLikely(), deliveredTokens);
  }

  private static Charge of(ChatCall call, Usage usage) {
    boolean nothing = usage.totalTokens() == 0;
    return new Charge(usage, nothing ? MicroUsd.ZERO : Cost.ofTokens(usage, call.model().prices()));
  }
}
