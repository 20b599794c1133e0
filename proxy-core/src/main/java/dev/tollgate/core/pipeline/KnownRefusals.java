package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.tenant.ApiKey;
import org.jspecify.annotations.Nullable;

/**
 * Port that returns the refusal of a request by rate limits or balance if it is certain from the
 * API key alone, before the body is read. Called on the loops.
 */
@FunctionalInterface
public interface KnownRefusals {
  /** Implementation that refuses nothing. */
  KnownRefusals NONE = (_, _) -> null;

  /** Returns the refusal; null means that the body is needed to decide. */
  Reply.@Nullable Refused of(ApiKey key, long nowNanos);
}
