package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.tenant.ApiKey;
import org.jspecify.annotations.Nullable;

/**
 * Port to the refusals by limits or money that are known from the key alone, before a request's
 * body is read. Called on the loops.
 */
@FunctionalInterface
public interface KnownRefusals {
  /** Knows no refusals. */
  KnownRefusals NONE = (_, _) -> null;

  /** Returns the refusal; null: the body is needed to decide. */
  Reply.@Nullable Refused of(ApiKey key, long nowNanos);
}
