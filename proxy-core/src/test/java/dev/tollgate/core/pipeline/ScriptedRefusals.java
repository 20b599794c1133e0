package dev.tollgate.core.pipeline;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.tenant.ApiKey;
import org.jspecify.annotations.Nullable;

/** What a test says to be known of every caller. */
final class ScriptedRefusals implements KnownRefusals {
  volatile @Nullable Fault known;

  @Override
  public @Nullable Fault of(ApiKey key, long nowNanos) {
    return known;
  }
}
