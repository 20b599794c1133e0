package dev.tollgate.core.exchange;

import dev.tollgate.core.endpoint.InferenceCall;
import dev.tollgate.core.endpoint.Opening;
import dev.tollgate.core.endpoint.ReplyStream;
import dev.tollgate.core.endpoint.WholeReply;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.Cost.Priced;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import java.util.List;

/** What a request used and what that costs: the provider's count where it gave one, else ours. */
record Charge(Usage usage, MicroUsd cost) {
  /** Nothing was delivered, so nothing is charged. */
  static final Charge NOTHING = new Charge(Usage.estimate(0, 0), MicroUsd.ZERO);

  /** One charge for what several providers delivered. */
  static Charge of(List<Priced> parts) {
    List<Priced> used = parts.stream().filter(part -> part.usage().totalTokens() > 0).toList();
    Usage sum = parts.stream().map(Priced::usage).reduce(Usage::plus).orElse(NOTHING.usage);
    return new Charge(sum, used.isEmpty() ? MicroUsd.ZERO : Cost.ofTokens(used));
  }

  static Charge of(InferenceCall call, WholeReply reply) {
    Usage usage = reply.reportedUsage().orElseGet(() -> estimated(call, reply.deliveredTokens()));
    return of(List.of(priced(call, usage)));
  }

  /** What a complete stream used. */
  static Priced whole(InferenceCall call, ReplyStream stream) {
    return priced(
        call, stream.reportedUsage().orElseGet(() -> estimated(call, stream.deliveredTokens())));
  }

  /** What was delivered of a stream that broke off: a count on the way is not the last word. */
  static Priced broken(InferenceCall call, ReplyStream stream) {
    if (stream.finished()) {
      return whole(call, stream);
    }
    long delivered = stream.deliveredTokens();
    return priced(
        call,
        stream
            .reportedUsage()
            .filter(reported -> reported.promptTokens() > 0)
            .map(reported -> reported.brokenOff(delivered))
            .orElseGet(() -> estimated(call, delivered)));
  }

  private static Usage estimated(InferenceCall call, long deliveredTokens) {
    long handed = call.opening() instanceof Opening.Prefill prefill ? prefill.handedTokens() : 0;
    return Usage.estimate(call.request().promptTokensLikely() + handed, deliveredTokens);
  }

  private static Priced priced(InferenceCall call, Usage usage) {
    return new Priced(usage, call.model().prices());
  }
}
