package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.limit.RefusalBudgets;
import dev.tollgate.core.limit.RefusalToken;
import dev.tollgate.core.tenant.ApiKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a test says to be known of every caller. */
final class ScriptedRefusals implements KnownRefusals {
  volatile @Nullable Fault known;
  volatile List<FieldLines> fields = List.of();
  volatile @Nullable RefusalBudgets budgets;

  @Override
  public Reply.@Nullable Refused of(ApiKey key, long nowNanos) {
    Fault fault = known;
    return fault == null ? null : new Reply.Refused(fault, fields);
  }

  @Override
  public @Nullable Fault draw(RefusalToken token, ApiKey key, boolean usable, long nowNanos) {
    RefusalBudgets limited = budgets;
    return limited == null ? null : limited.draw(token, key, usable, nowNanos);
  }
}
