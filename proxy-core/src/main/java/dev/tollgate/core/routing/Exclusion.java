package dev.tollgate.core.routing;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import java.util.Locale;

/**
 * Why a provider may not serve a request.
 *
 * @param waitNanos until it might; 0: waiting does not help, or is not needed
 */
public record Exclusion(ModelId model, ProviderId provider, Reason reason, long waitNanos) {
  /** The closed list of {@code details.excluded[].reason}. */
  public enum Reason {
    /** {@code routing.only} does not name it. */
    NOT_IN_ONLY,
    /** {@code routing.ignore} names it. */
    IGNORED,
    /** Fallbacks are not allowed, and it is not in {@code routing.order}. */
    NOT_IN_ORDER,
    /** Fallbacks are not allowed, and it is not the preferred one. */
    FALLBACK_NOT_ALLOWED,
    /** It costs more than {@code routing.max_price}. */
    PRICE_ABOVE_MAX,
    /** {@code routing.require_parameters}: the model is not known to understand the request. */
    PARAMETERS_UNSUPPORTED,
    /** It failed too often a moment ago. */
    CIRCUIT_OPEN,
    /** It limits our rate. */
    COOLING,
    /** It refused every key that we have. */
    CREDENTIALS_REFUSED,
    /** The token that its key is exchanged for is not there yet, or expired. */
    TOKEN_MISSING,
    /** The limit of the model that it would serve instead is used up. */
    MODEL_LIMITED;

    private final String wire = name().toLowerCase(Locale.ROOT);

    /** The name in errors. */
    public String wire() {
      return wire;
    }
  }
}
