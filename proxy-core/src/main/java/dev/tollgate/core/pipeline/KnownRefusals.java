package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.tenant.ApiKey;
import org.jspecify.annotations.Nullable;

/**
 * Port to what is known of a proven caller before its request's body is here: that it would be
 * refused anyway, for its limits or its money. Asked on the loops.
 */
@FunctionalInterface
public interface KnownRefusals {
  /** Nothing is known of anybody. */
  KnownRefusals NONE = (_, _) -> null;

  /** The refusal, or null where the body must be looked at. */
  Reply.@Nullable Refused of(ApiKey key, long nowNanos);
}
