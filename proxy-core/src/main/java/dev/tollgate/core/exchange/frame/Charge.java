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
 *
 * @param parts what the cost was computed from, one for each provider that delivered; empty if the
 *     cost is zero
 */
public record Charge(Usage usage, MicroUsd cost, List<PricedUsage> parts) {
  /** Charge of a request of which nothing was delivered. */
  public static final Charge NOTHING = free(Usage.estimate(0, 0));

  public Charge {
    parts = List.copyOf(parts);
  }

  private static Charge free(Usage usage) {
    return new Charge(usage, MicroUsd.ZERO, List.of());
  }

  private static Charge priced(Usage usage, List<PricedUsage> parts) {
    MicroUsd cost = Cost.of(parts);
    return cost.isPositive() ? new Charge(usage, cost, parts) : free(usage);
  }

  /** Returns one charge for the parts of several providers. */
  public static Charge of(List<PricedUsage> parts) {
    if (parts.size() == 1) { // nearly all requests
      PricedUsage only = parts.getFirst();
      return only.hasUsage() ? priced(only.usage(), parts) : free(only.usage());
    }
    List<PricedUsage> used = parts.stream().filter(PricedUsage::hasUsage).toList();
    Usage sum = parts.stream().map(PricedUsage::usage).reduce(Usage::plus).orElse(NOTHING.usage);
    return used.isEmpty() ? free(sum) : priced(sum, used);
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
