package dev.tollgate.core.dialect;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How one try at one provider failed, in the terms of the classification table
 * (docs/decisions/retries.md#classification).
 *
 * @param cause the same as the kind, or what interrupted a stream
 * @param status the provider's HTTP status; 0 where none came
 * @param message the provider's own words: for the client where the kind lets them through, never
 *     for the log
 * @param param the provider's name of the offending field
 * @param providerCode the provider's own code
 * @param retryAfterSeconds what the provider asked for; 0 where it said nothing
 * @param reason ours, for the log; empty where the provider's status and code say all
 */
public record UpstreamFailure(
    Kind kind,
    Kind cause,
    int status,
    String message,
    @Nullable String param,
    @Nullable String providerCode,
    int retryAfterSeconds,
    String reason) {

  /** The rows of the table. */
  public enum Kind {
    /** Connect, TLS or name failure, or a reset before a byte of the reply. */
    UNREACHABLE(CircuitEffect.TRIPS, Fallback.ANOTHER_OR_SAME),
    /** Connections and waiting places to this provider are all taken. */
    POOL_FULL(CircuitEffect.NEUTRAL, Fallback.ANOTHER),
    /** Closed in good order before the reply was complete, also behind content. */
    DISCONNECTED(CircuitEffect.TRIPS, Fallback.ANOTHER_OR_SAME),
    /**
     * An answer that is not what was asked for: 1xx flood, 204, 3xx, wrong content type, bad
     * framing.
     */
    UNEXPECTED_REPLY(CircuitEffect.TRIPS, Fallback.ANOTHER_OR_SAME),
    /** 5xx, 529. */
    SERVER_ERROR(CircuitEffect.TRIPS, Fallback.ANOTHER_OR_SAME),
    RATE_LIMITED(CircuitEffect.COOLS_DOWN_KEY, Fallback.ANOTHER_OR_SAME),
    /** 401, 402, 403 and their disguises: our credential, never the client's. */
    CREDENTIAL_REFUSED(CircuitEffect.RETIRES_KEY, Fallback.ANOTHER),
    CONTEXT_TOO_LONG(CircuitEffect.NEUTRAL, Fallback.NONE_FOR_THE_REQUEST),
    CONTENT_FILTERED(CircuitEffect.NEUTRAL, Fallback.NONE_FOR_THE_REQUEST),
    /** Any other 400 or 422. */
    REJECTED(CircuitEffect.NEUTRAL, Fallback.NONE_FOR_THE_REQUEST),
    TOO_LARGE(CircuitEffect.NEUTRAL, Fallback.NONE_FOR_THE_REQUEST),
    /** The request alone is more than the rate limit of the key: no wait helps, another key may. */
    LIMIT_TOO_LOW(CircuitEffect.NEUTRAL, Fallback.ANOTHER),
    MODEL_MISSING(CircuitEffect.ALARMS, Fallback.ANOTHER),
    TIMED_OUT(CircuitEffect.TRIPS, Fallback.ANOTHER),
    /** Bad JSON, or events that are broken or too large. */
    MALFORMED(CircuitEffect.TRIPS, Fallback.ANOTHER_OR_SAME),
    /** Reset, stall or an error event after content was delivered. */
    INTERRUPTED(CircuitEffect.TRIPS, Fallback.NONE),
    /** A reply that was bought, and is larger than this node takes. */
    OVERSIZED(CircuitEffect.NEUTRAL, Fallback.NONE),
    /** The node's own memory budget had no room. */
    OVERLOADED(CircuitEffect.NEUTRAL, Fallback.NONE),
    /** A stream that should repeat what was delivered says something else. */
    DIVERGED(CircuitEffect.NEUTRAL, Fallback.NONE);

    private final CircuitEffect circuitEffect;
    private final Fallback fallback;
    private final String wire = name().toLowerCase(Locale.ROOT);

    Kind(CircuitEffect circuitEffect, Fallback fallback) {
      this.circuitEffect = circuitEffect;
      this.fallback = fallback;
    }

    /** The name in logs and metrics. */
    public String wire() {
      return wire;
    }
  }

  /** Who may be asked after it: the column of the table of that name. */
  private enum Fallback {
    /** Another provider, and this one once more where there is none. */
    ANOTHER_OR_SAME,
    /** Another provider: this one is silent, or would say the same again. */
    ANOTHER,
    /** Nobody: the request itself is at fault. */
    NONE_FOR_THE_REQUEST,
    /** Nobody, for another reason. */
    NONE
  }

  /** What the provider said of itself. */
  public UpstreamFailure(
      Kind kind,
      int status,
      String message,
      @Nullable String param,
      @Nullable String providerCode,
      int retryAfterSeconds) {
    this(kind, kind, status, message, param, providerCode, retryAfterSeconds, "");
  }

  /** What we saw. */
  public static UpstreamFailure of(Kind kind, String reason) {
    return new UpstreamFailure(kind, kind, 0, "", null, null, 0, reason);
  }

  /** The same of a provider that asked for a wait. */
  public UpstreamFailure withRetryAfter(int seconds) {
    return new UpstreamFailure(kind, cause, status, message, param, providerCode, seconds, reason);
  }

  /** The same where content was delivered before. */
  public UpstreamFailure asInterruption(int streamStatus) {
    return new UpstreamFailure(
        Kind.INTERRUPTED,
        kind,
        streamStatus,
        message,
        null,
        providerCode,
        retryAfterSeconds,
        reason);
  }

  /** What another try makes of it: the same as if nothing had been delivered before. */
  public UpstreamFailure withoutDelivery() {
    return kind == Kind.INTERRUPTED
        ? new UpstreamFailure(
            cause, cause, status, message, param, providerCode, retryAfterSeconds, reason)
        : this;
  }

  /** What a failure says about the provider: the column of the table that the circuits read. */
  public enum CircuitEffect {
    /** Counts against the provider. */
    TRIPS,
    /** The key that was used waits as long as the provider asks. */
    COOLS_DOWN_KEY,
    /** The key that was used is not used for now, and the operator hears of it. */
    RETIRES_KEY,
    /** The operator hears of it: the configuration names what the provider does not have. */
    ALARMS,
    /** Nothing: the request or this node is to blame. */
    NEUTRAL
  }

  /** What the failure says about the provider. */
  public CircuitEffect circuitEffect() {
    boolean blameless = kind == Kind.INTERRUPTED && cause.circuitEffect == CircuitEffect.NEUTRAL;
    return blameless ? CircuitEffect.NEUTRAL : kind.circuitEffect;
  }

  /** What it says about the key that was used: a stream can be broken off for its sake, too. */
  public CircuitEffect keyEffect() {
    return cause.circuitEffect;
  }

  /** Whether it shows that the provider took our key. */
  public boolean provesKeyAccepted() {
    return isRequestFault()
        || kind == Kind.MODEL_MISSING
        || kind == Kind.LIMIT_TOO_LOW
        || kind == Kind.OVERSIZED
        || kind == Kind.DIVERGED;
  }

  /** Whether the request itself caused it, so that the provider's words are for the client. */
  public boolean isRequestFault() {
    return kind.fallback == Fallback.NONE_FOR_THE_REQUEST;
  }

  /** Whether the provider said that it did nothing of what it was asked. */
  public boolean isRefusal() {
    return isRequestFault()
        || kind == Kind.RATE_LIMITED
        || kind == Kind.LIMIT_TOO_LOW
        || kind == Kind.CREDENTIAL_REFUSED
        || kind == Kind.MODEL_MISSING;
  }

  /** Whether it says nothing about the other models of the provider: rates are limited by model. */
  public boolean isModelSpecific() {
    return kind == Kind.RATE_LIMITED
        || kind == Kind.LIMIT_TOO_LOW
        || kind == Kind.MODEL_MISSING
        || kind == Kind.CONTEXT_TOO_LONG;
  }

  /** Whether another provider may do better: everything but what the request itself caused. */
  public boolean canFallBack() {
    return kind.fallback == Fallback.ANOTHER || canRetrySameProvider();
  }

  /** Whether the provider is to blame, and not the request or this node. */
  public boolean isProviderFault() {
    return kind != Kind.LIMIT_TOO_LOW && (canFallBack() || kind == Kind.INTERRUPTED);
  }

  /**
   * Whether the same provider may be asked once more: not a silent one, and not one that will say
   * the same again.
   */
  public boolean canRetrySameProvider() {
    return kind.fallback == Fallback.ANOTHER_OR_SAME;
  }
}
