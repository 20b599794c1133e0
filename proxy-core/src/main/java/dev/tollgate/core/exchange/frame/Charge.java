package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.StreamingReply;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.Cost.PricedUsage;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.prompt.TokenRatios;
import java.util.List;

/**
 * Usage of a request and its cost: the provider's count if it reports one, else an estimate, for
 * which the ratios of the models' prompts are given.
 */
public record Charge(Usage usage, MicroUsd cost) {
  /** Charge of a request of which nothing was delivered. */
  public static final Charge NOTHING = new Charge(Usage.estimate(0, 0), MicroUsd.ZERO);

  /** Returns one charge for the parts of several providers. */
  public static Charge of(List<PricedUsage> parts) {
    if (parts.size() == 1) { // nearly all requests
      PricedUsage only = parts.getFirst();
      return new Charge(only.usage(), only.hasUsage() ? Cost.of(parts) : MicroUsd.ZERO);
    }
    List<PricedUsage> used = parts.stream().filter(PricedUsage::hasUsage).toList();
    Usage sum = parts.stream().map(PricedUsage::usage).reduce(Usage::plus).orElse(NOTHING.usage);
    return new Charge(sum, used.isEmpty() ? MicroUsd.ZERO : Cost.of(used));
  }

  /**
   * Returns the cost that the providers report, if it is higher than the charge: what the operator
   * pays for the request; else 0. The charge stays the price.
   */
  public MicroUsd operatorCost() {
    long reported = usage.reportedCost();
    return reported > cost.value() ? new MicroUsd(reported) : MicroUsd.ZERO;
  }

  public static Charge of(InferenceCall call, WholeReply reply, TokenRatios ratios) {
    Usage usage =
        reply.reportedUsage().orElseGet(() -> estimate(call, reply.deliveredTokens(), ratios));
    return of(List.of(new PricedUsage(usage, reply.quantities(), call.model().prices())));
  }

  /** Returns the usage of a complete stream. */
  public static PricedUsage whole(InferenceCall call, StreamingReply flow, TokenRatios ratios) {
    Usage usage =
        flow.reportedUsage().orElseGet(() -> estimate(call, flow.deliveredTokens(), ratios));
    return priced(call, flow, usage);
  }

  /** Returns the usage of a stream that broke off: an intermediate count may be incomplete. */
  public static PricedUsage broken(InferenceCall call, StreamingReply flow, TokenRatios ratios) {
    if (flow.finished()) {
      return whole(call, flow, ratios);
    }
    long delivered = flow.deliveredTokens();
    Usage usage =
        flow.reportedUsage()
            .filter(reported -> reported.promptTokens() > 0)
            .map(reported -> reported.interrupted(delivered))
            .orElseGet(() -> estimate(call, delivered, ratios));
    return priced(call, flow, usage);
  }

  private static Usage estimate(InferenceCall call, long deliveredTokens, TokenRatios ratios) {
    return call.usageLikely(deliveredTokens, ratios.of(call.model().id()));
  }

  private static PricedUsage priced(InferenceCall call, StreamingReply flow, Usage usage) {
    return new PricedUsage(usage, flow.quantities(), call.model().prices());
  }
}
