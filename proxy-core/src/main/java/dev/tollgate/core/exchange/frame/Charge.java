package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.StreamingReply;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.Cost.PricedUsage;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.prompt.TokenRatios;
import dev.tollgate.core.routing.Candidate;
import java.util.List;

/**
 * Usage of a request and its cost: the provider's count if it reports one, else an estimate, for
 * which the ratios of the models' prompts are given.
 *
 * @param cost what the organization pays
 * @param operatorCost what the operator pays: by the costs of the routes that delivered, or what
 *     their providers reported, if that is more (docs/decisions/money.md#operator-cost)
 * @param parts what the cost was computed from, one for each provider that delivered; empty if the
 *     cost is zero
 */
public record Charge(Usage usage, MicroUsd cost, MicroUsd operatorCost, List<PricedUsage> parts) {
  /** Charge of a request of which nothing was delivered. */
  public static final Charge NOTHING = free(Usage.estimate(0, 0));

  public Charge {
    parts = List.copyOf(parts);
  }

  private static Charge free(Usage usage) {
    return new Charge(usage, MicroUsd.ZERO, reportedOr(MicroUsd.ZERO, usage), List.of());
  }

  private static Charge priced(Usage usage, List<PricedUsage> parts) {
    MicroUsd cost = Cost.of(parts);
    MicroUsd toOperator = reportedOr(Cost.toOperator(parts, cost), usage);
    return new Charge(usage, cost, toOperator, cost.isPositive() ? parts : List.of());
  }

  private static MicroUsd reportedOr(MicroUsd computed, Usage usage) {
    long reported = usage.reportedCost();
    return reported > computed.value() ? new MicroUsd(reported) : computed;
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

  /** True if the operator pays more than the organization. */
  public boolean isBelowCost() {
    return operatorCost.compareTo(cost) > 0;
  }

  /** Returns the charge of a whole reply that a candidate delivered. */
  public static Charge of(Candidate by, InferenceCall call, WholeReply reply, TokenRatios ratios) {
    Usage usage =
        reply.reportedUsage().orElseGet(() -> estimate(call, reply.deliveredTokens(), ratios));
    return of(List.of(priced(by, usage, reply.quantities())));
  }

  /** Returns the usage of a complete stream that a candidate delivered. */
  public static PricedUsage whole(
      Candidate by, InferenceCall call, StreamingReply flow, TokenRatios ratios) {
    Usage usage =
        flow.reportedUsage().orElseGet(() -> estimate(call, flow.deliveredTokens(), ratios));
    return priced(by, usage, flow.quantities());
  }

  /** Returns the usage of a stream that broke off: an intermediate count may be incomplete. */
  public static PricedUsage broken(
      Candidate by, InferenceCall call, StreamingReply flow, TokenRatios ratios) {
    if (flow.finished()) {
      return whole(by, call, flow, ratios);
    }
    long delivered = flow.deliveredTokens();
    Usage usage =
        flow.reportedUsage()
            .filter(reported -> reported.promptTokens() > 0)
            .map(reported -> reported.interrupted(delivered))
            .orElseGet(() -> estimate(call, delivered, ratios));
    return priced(by, usage, flow.quantities());
  }

  private static Usage estimate(InferenceCall call, long deliveredTokens, TokenRatios ratios) {
    return call.usageLikely(deliveredTokens, ratios.of(call.model().id()));
  }

  private static PricedUsage priced(Candidate by, Usage usage, List<Quantity> quantities) {
    return new PricedUsage(usage, quantities, by.model().prices(), by.operatorPrices());
  }
}
