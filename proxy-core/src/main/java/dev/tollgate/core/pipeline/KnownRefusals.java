package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.limit.LimitFault;
import dev.tollgate.core.limit.RefusalToken;
import dev.tollgate.core.tenant.ApiKey;
import org.jspecify.annotations.Nullable;

/**
 * Port that returns the refusal of a request by refusal budget, rate limits or balance if it is
 * certain from the API key alone, before the body is read. Called on the loops.
 */
@FunctionalInterface
public interface KnownRefusals {
  /** Implementation that refuses nothing. */
  KnownRefusals NONE = (_, _) -> null;

  /** Returns the refusal; null means that the body is needed to decide. */
  Reply.@Nullable Refused of(ApiKey key, long nowNanos);

  /**
   * Draws a token from the key's refusal bucket; returns the 429 if there is none.
   *
   * @param usable false for a key that may not be used now
   */
  default @Nullable Fault draw(RefusalToken token, ApiKey key, boolean usable, long nowNanos) {
    return null;
  }

  /** Returns the 429 of a caller with too many keys that do not exist. */
  default Fault overBudget() {
    return LimitFault.lookUps();
  }
}
