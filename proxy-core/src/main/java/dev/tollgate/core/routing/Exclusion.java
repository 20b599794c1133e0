package dev.tollgate.core.routing;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import java.util.Locale;

/**
 * Reason why one provider may not serve a request for one model.
 *
 * @param waitNanos until the provider may be able to; 0 if waiting does not help, or is not needed
 */
public record Exclusion(ModelId model, ProviderId provider, Reason reason, long waitNanos) {
  /** The closed list of {@code details.excluded[].reason}. */
  public enum Reason {
    /** {@code routing.only} does not name the provider. */
    NOT_IN_ONLY,
    /** {@code routing.ignore} names the provider. */
    IGNORED,
    /** Fallbacks are not allowed, and the provider is not in {@code routing.order}. */
    NOT_IN_ORDER,
    /** Fallbacks are not allowed, and another candidate is preferred. */
    FALLBACK_NOT_ALLOWED,
    /** The model costs more than {@code routing.max_price}. */
    PRICE_ABOVE_MAX,
    /** {@code routing.require_parameters}: the model is not known to understand the request. */
    PARAMETERS_UNSUPPORTED,
    /** A circuit breaker is open: of the endpoint, of the model, or of the organization there. */
    CIRCUIT_OPEN,
    /** The provider limited the rate of every key, and its waits have not ended. */
    COOLING,
    /** The provider refused every configured key. */
    CREDENTIALS_REFUSED,
    /** The access token that is sent in place of the key is not fetched yet, or has expired. */
    TOKEN_MISSING,
    /** The rate limit of the fallback model is used up. */
    MODEL_LIMITED;

    private final String wire = name().toLowerCase(Locale.ROOT);

    /** Returns the name in errors. */
    public String wire() {
      return wire;
    }
  }
}
