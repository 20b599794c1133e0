package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Secret;
import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Classified failure of one attempt at a provider, in the terms of the classification table
 * (docs/decisions/retries.md#classification).
 *
 * @param cause the same as the kind, or what interrupted a stream; of a timeout without a
 *     connection, that the provider was not reached
 * @param status the provider's HTTP status; 0 means none arrived
 * @param message the provider's message: for the client or the log if the kind permits
 * @param param the provider's name of the invalid field
 * @param providerCode the provider's own code
 * @param retryAfterSeconds wait that the provider asked for; 0 means none
 * @param reason the gateway's own, for the log; empty if the provider's status and code suffice
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

  /** Kind of failure: a row of the classification table. */
  public enum Kind {
    /** Connect, TLS or name failure, or a reset before a byte of the reply. */
    UNREACHABLE(CircuitEffect.TRIPS, Fallback.ANOTHER_OR_SAME),
    /** All connections to the provider are in use, and the queue is full. */
    POOL_FULL(CircuitEffect.NEUTRAL, Fallback.ANOTHER),
    /** The connection was closed with a FIN before the reply was complete, also after content. */
    DISCONNECTED(CircuitEffect.TRIPS, Fallback.ANOTHER_OR_SAME),
    /** A response other than requested: 1xx flood, 204, 3xx, wrong content type, bad framing. */
    UNEXPECTED_REPLY(CircuitEffect.TRIPS, Fallback.ANOTHER_OR_SAME),
    /** 5xx, 529. */
    SERVER_ERROR(CircuitEffect.TRIPS, Fallback.ANOTHER_OR_SAME),
    RATE_LIMITED(CircuitEffect.COOLS_DOWN_KEY, Fallback.ANOTHER_OR_SAME),
    /**
     * 401, 402, 403, and errors with the same meaning: the operator's credential, never the
     * client's.
     */
    CREDENTIAL_REFUSED(CircuitEffect.RETIRES_KEY, Fallback.ANOTHER),
    CONTEXT_TOO_LONG(CircuitEffect.NEUTRAL, Fallback.NONE_FOR_THE_REQUEST),
    CONTENT_FILTERED(CircuitEffect.NEUTRAL, Fallback.NONE_FOR_THE_REQUEST),
    /** Any other 400 or 422. */
    REJECTED(CircuitEffect.NEUTRAL, Fallback.NONE_FOR_THE_REQUEST),
    TOO_LARGE(CircuitEffect.NEUTRAL, Fallback.NONE_FOR_THE_REQUEST),
    /** The request alone exceeds the rate limit of the key: no wait helps, but another key may. */
    LIMIT_TOO_LOW(CircuitEffect.NEUTRAL, Fallback.ANOTHER),
    MODEL_MISSING(CircuitEffect.ALARMS, Fallback.ANOTHER),
    TIMED_OUT(CircuitEffect.TRIPS, Fallback.ANOTHER),
    /** Bad JSON, or events that are broken or too large. */
    MALFORMED(CircuitEffect.TRIPS, Fallback.ANOTHER_OR_SAME),
    /** Reset, stall or error event after content was delivered. */
    INTERRUPTED(CircuitEffect.TRIPS, Fallback.NONE),
    /** A complete reply that is larger than this node accepts. */
    OVERSIZED(CircuitEffect.NEUTRAL, Fallback.NONE),
    /** The node's own memory budget was exhausted. */
    OVERLOADED(CircuitEffect.NEUTRAL, Fallback.NONE),
    /** A stream that should repeat the delivered content differs from it. */
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

  /**
   * Providers that may be tried after a failure: the column of that name in the classification
   * table.
   */
  private enum Fallback {
    /** Another provider, or this one once more if there is no other. */
    ANOTHER_OR_SAME,
    /** Another provider: this one does not respond, or would fail in the same way. */
    ANOTHER,
    /** None: the request itself is at fault. */
    NONE_FOR_THE_REQUEST,
    /** None, for another reason. */
    NONE
  }

  /** Length of the longest message that is recorded, in characters. */
  private static final int RECORDED_CHARS_MAX = 300;

  /** Creates a failure that the provider reported. */
  public UpstreamFailure(
      Kind kind,
      int status,
      String message,
      @Nullable String param,
      @Nullable String providerCode,
      int retryAfterSeconds) {
    this(kind, kind, status, message, param, providerCode, retryAfterSeconds, "");
  }

  /** Returns a failure that the gateway observed. */
  public static UpstreamFailure of(Kind kind, String reason) {
    return new UpstreamFailure(kind, kind, 0, "", null, null, 0, reason);
  }

  /** Returns the failure of an attempt whose connection was not made in time. */
  public static UpstreamFailure connectTimeout(String reason) {
    return new UpstreamFailure(Kind.TIMED_OUT, Kind.UNREACHABLE, 0, "", null, null, 0, reason);
  }

  /** Returns a copy with a wait. */
  public UpstreamFailure withRetryAfter(int seconds) {
    return new UpstreamFailure(kind, cause, status, message, param, providerCode, seconds, reason);
  }

  /** Returns a copy whose texts of the provider do not repeat the credentials that it was sent. */
  public UpstreamFailure redacted(Collection<String> sent) {
    return new UpstreamFailure(
        kind,
        cause,
        status,
        Secret.redact(message, sent),
        param == null ? null : Secret.redact(param, sent),
        providerCode == null ? null : Secret.redact(providerCode, sent),
        retryAfterSeconds,
        reason);
  }

  /**
   * Returns the provider's message about a failure of its own, shortened, for logs and the list of
   * attempts. It is empty for all others: those may quote the request.
   */
  public String recordedMessage() {
    if (cause != Kind.SERVER_ERROR || message.length() <= RECORDED_CHARS_MAX) {
      return cause == Kind.SERVER_ERROR ? message : "";
    }
    boolean splitsPair = Character.isHighSurrogate(message.charAt(RECORDED_CHARS_MAX - 2));
    return message.substring(0, RECORDED_CHARS_MAX - (splitsPair ? 2 : 1)) + "…";
  }

  /** Returns this failure as one that the request caused. */
  public UpstreamFailure asRejection() {
    return new UpstreamFailure(
        kind == cause ? Kind.REJECTED : kind,
        Kind.REJECTED,
        status,
        message,
        param,
        providerCode,
        0,
        reason);
  }

  /** Returns this failure as the interruption of a stream that delivered content. */
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

  /** Returns this failure as if no content had been delivered, as the next attempt sees it. */
  public UpstreamFailure withoutDelivery() {
    return kind == Kind.INTERRUPTED
        ? new UpstreamFailure(
            cause, cause, status, message, param, providerCode, retryAfterSeconds, reason)
        : this;
  }

  /**
   * Effect of a failure on circuit breakers and API keys: the column of the classification table
   * that they read.
   */
  public enum CircuitEffect {
    /** The failure counts against the provider. */
    TRIPS,
    /** The key in use waits as long as the provider asks. */
    COOLS_DOWN_KEY,
    /** The key in use is not used for now, and the operator is notified. */
    RETIRES_KEY,
    /**
     * The operator is notified: the configuration names something that the provider does not have.
     */
    ALARMS,
    /** No effect: the request or this node is at fault. */
    NEUTRAL
  }

  /** Returns the effect on the circuit breaker. */
  public CircuitEffect circuitEffect() {
    boolean blameless = kind == Kind.INTERRUPTED && cause.circuitEffect == CircuitEffect.NEUTRAL;
    return blameless ? CircuitEffect.NEUTRAL : kind.circuitEffect;
  }

  /**
   * True if the provider was not reached, so that the failure affects all of its models: no
   * connection, or a reset before a byte of the reply.
   */
  public boolean isOfEndpoint() {
    return kind == Kind.UNREACHABLE || (kind == Kind.TIMED_OUT && cause == Kind.UNREACHABLE);
  }

  /** Returns the effect on the key in use, which can also be the cause of an interruption. */
  public CircuitEffect keyEffect() {
    return cause.circuitEffect;
  }

  /**
   * True if the failure affects the key although its status does not say so: the provider's words
   * do.
   */
  public boolean isOfKeyByWords() {
    boolean ofKey =
        switch (keyEffect()) {
          case COOLS_DOWN_KEY, RETIRES_KEY -> true;
          case TRIPS, ALARMS, NEUTRAL -> false;
        };
    return ofKey
        && switch (status) {
          case 401, 402, 403, 429 -> false;
          default -> true;
        };
  }

  /** True if the failure shows that the provider accepted the key. */
  public boolean provesKeyAccepted() {
    return isRequestFault()
        || kind == Kind.MODEL_MISSING
        || kind == Kind.LIMIT_TOO_LOW
        || kind == Kind.OVERSIZED
        || kind == Kind.DIVERGED;
  }

  /**
   * True if the request itself caused the failure, so that the provider's message is for the
   * client.
   */
  public boolean isRequestFault() {
    return kind.fallback == Fallback.NONE_FOR_THE_REQUEST;
  }

  /** True if the provider reported that it did nothing. */
  public boolean isRefusal() {
    return isRequestFault()
        || kind == Kind.RATE_LIMITED
        || kind == Kind.LIMIT_TOO_LOW
        || kind == Kind.CREDENTIAL_REFUSED
        || kind == Kind.MODEL_MISSING;
  }

  /**
   * True if the failure does not affect other models of the provider: rates are limited by model.
   */
  public boolean isModelSpecific() {
    return kind == Kind.RATE_LIMITED
        || kind == Kind.LIMIT_TOO_LOW
        || kind == Kind.MODEL_MISSING
        || kind == Kind.CONTEXT_TOO_LONG;
  }

  /**
   * True if another provider may succeed: all failures but those that the request itself caused.
   */
  public boolean canFallBack() {
    return kind.fallback == Fallback.ANOTHER || canRetrySameProvider();
  }

  /** True if the provider is at fault, and not the request or this node. */
  public boolean isProviderFault() {
    return kind != Kind.LIMIT_TOO_LOW && (canFallBack() || kind == Kind.INTERRUPTED);
  }

  /**
   * True if the same provider may be tried once more: not if it did not respond, or would fail in
   * the same way.
   */
  public boolean canRetrySameProvider() {
    return kind.fallback == Fallback.ANOTHER_OR_SAME;
  }
}
