package dev.tollgate.server.wiring;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.ledger.NodeLedger;
import dev.tollgate.core.limit.RefusalCache;
import dev.tollgate.core.pipeline.KnownRefusals;
import dev.tollgate.core.tenant.ApiKey;
import org.jspecify.annotations.Nullable;

/** What this node knows of a caller in its own memory: empty buckets first, then no balance. */
record NodeRefusals(RefusalCache limits, NodeLedger ledger) implements KnownRefusals {
  @Override
  public @Nullable Fault of(ApiKey key, long nowNanos) {
    Fault limited = limits.find(key.id(), nowNanos);
    return limited == null ? ledger.usedUp(key) : limited;
  }
}
