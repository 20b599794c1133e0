package dev.tollgate.server.ops;

import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.ledger.NodeLedger;
import dev.tollgate.core.limit.LimitFault;
import dev.tollgate.core.limit.Limits;
import dev.tollgate.core.limit.RefusalBudgets;
import dev.tollgate.core.limit.RefusalCache;
import dev.tollgate.core.limit.RefusalToken;
import dev.tollgate.core.pipeline.KnownRefusals;
import dev.tollgate.core.tenant.ApiKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that are known to fail, from this node's memory: those beyond a refusal budget,
 * then exceeded limits, then used-up balances.
 */
public record NodeRefusals(Limits limits, RefusalBudgets budgets, NodeLedger ledger)
    implements KnownRefusals {

  @Override
  public @Nullable Fault draw(RefusalToken token, ApiKey key, boolean usable, long nowNanos) {
    Fault fault = budgets.draw(token, key, usable, nowNanos);
    if (fault != null) {
      limits.observer().refused(fault);
    }
    return fault;
  }

  @Override
  public Fault overBudget() {
    Fault fault = LimitFault.lookUps();
    limits.observer().refused(fault);
    return fault;
  }

  @Override
  public Reply.@Nullable Refused of(ApiKey key, long nowNanos) {
    RefusalCache.CachedRefusal limited = limits.cachedRefusal(key, nowNanos);
    if (limited != null) {
      return new Reply.Refused(limited.fault(), limited.fields());
    }
    Fault usedUp = ledger.usedUp(key);
    return usedUp == null ? null : new Reply.Refused(usedUp, List.of());
  }
}
