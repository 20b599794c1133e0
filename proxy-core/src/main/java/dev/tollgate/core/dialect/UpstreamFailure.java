package dev.tollgate.core.dialect;

import org.jspecify.annotations.Nullable;

/**
 * How one try at one provider failed, in the terms of the classification table (DECISIONS 6).
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
    UNREACHABLE,
    /** Connections and waiting places to this provider are all taken. */
    POOL_FULL,
    /** Closed in good order before the reply was complete, also behind content. */
    DISCONNECTED,
    /**
     * An answer that is not what was asked for: 1xx flood, 204, 3xx, wrong content type, bad
     * framing.
     */
    UNEXPECTED_REPLY,
    /** 5xx, 529. */
    SERVER_ERROR,
    RATE_LIMITED,
    /** 401, 402, 403 and their disguises: our credential, never the client's. */
    CREDENTIAL_REFUSED,
    CONTEXT_TOO_LONG,
    CONTENT_FILTERED,
    /** Any other 400 or 422. */
    REJECTED,
    TOO_LARGE,
    MODEL_MISSING,
    TIMED_OUT,
    /** Bad JSON, or events that are broken or too large. */
    MALFORMED,
    /** Reset, stall or an error event after content was delivered. */
    INTERRUPTED,
    /** The node's own memory budget had no room. */
    OVERLOADED,
    /** A stream that should repeat what was delivered says something else. */
    DIVERGED
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

  /** The same where content was delivered before. */
  public UpstreamFailure interrupting(int streamStatus) {
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
  public enum Circuit {
    /** Counts against the provider. */
    TRIPS,
    /** The key that was used waits as long as the provider asks. */
    COOLS,
    /** The key that was used is not used for now, and the operator hears of it. */
    RETIRES_KEY,
    /** The operator hears of it: the configuration names what the provider does not have. */
    ALARMS,
    /** Nothing: the request or this node is to blame. */
    NEUTRAL
  }

  /** What the failure says about the provider. */
  public Circuit circuit() {
    boolean blameless = kind == Kind.INTERRUPTED && circuit(cause) == Circuit.NEUTRAL;
    return blameless ? Circuit.NEUTRAL : circuit(kind);
  }

  /** What it says about the key that was used: a stream can be broken off for its sake, too. */
  public Circuit ofKey() {
    return circuit(cause);
  }

  private static Circuit circuit(Kind kind) {
    return switch (kind) {
      case UNREACHABLE,
          DISCONNECTED,
          UNEXPECTED_REPLY,
          SERVER_ERROR,
          TIMED_OUT,
          MALFORMED,
          INTERRUPTED ->
          Circuit.TRIPS;
      case RATE_LIMITED -> Circuit.COOLS;
      case CREDENTIAL_REFUSED -> Circuit.RETIRES_KEY;
      case MODEL_MISSING -> Circuit.ALARMS;
      case POOL_FULL,
          CONTEXT_TOO_LONG,
          CONTENT_FILTERED,
          REJECTED,
          TOO_LARGE,
          OVERLOADED,
          DIVERGED ->
          Circuit.NEUTRAL;
    };
  }

  /** Whether it shows that the provider took our key. */
  public boolean provesKey() {
    return switch (kind) {
      case MODEL_MISSING, CONTEXT_TOO_LONG, CONTENT_FILTERED, REJECTED, TOO_LARGE, DIVERGED -> true;
      case UNREACHABLE,
          POOL_FULL,
          DISCONNECTED,
          UNEXPECTED_REPLY,
          SERVER_ERROR,
          RATE_LIMITED,
          CREDENTIAL_REFUSED,
          TIMED_OUT,
          MALFORMED,
          INTERRUPTED,
          OVERLOADED ->
          false;
    };
  }

  /** Whether another provider may do better: everything but what the request itself caused. */
  public boolean isWorthAnother() {
    return switch (kind) {
      case UNREACHABLE,
          POOL_FULL,
          DISCONNECTED,
          UNEXPECTED_REPLY,
          SERVER_ERROR,
          RATE_LIMITED,
          CREDENTIAL_REFUSED,
          MODEL_MISSING,
          TIMED_OUT,
          MALFORMED ->
          true;
      case CONTEXT_TOO_LONG,
          CONTENT_FILTERED,
          REJECTED,
          TOO_LARGE,
          INTERRUPTED,
          OVERLOADED,
          DIVERGED ->
          false;
    };
  }

  /** Whether the provider is to blame, and not the request or this node. */
  public boolean isProvidersFault() {
    return isWorthAnother() || kind == Kind.INTERRUPTED;
  }

  /**
   * Whether the same provider may be asked once more: not a silent one, and not one that will say
   * the same again.
   */
  public boolean isWorthRepeating() {
    return switch (kind) {
      case UNREACHABLE, DISCONNECTED, UNEXPECTED_REPLY, SERVER_ERROR, RATE_LIMITED, MALFORMED ->
          true;
      case POOL_FULL,
          CREDENTIAL_REFUSED,
          MODEL_MISSING,
          TIMED_OUT,
          CONTEXT_TOO_LONG,
          CONTENT_FILTERED,
          REJECTED,
          TOO_LARGE,
          INTERRUPTED,
          OVERLOADED,
          DIVERGED ->
          false;
    };
  }
}
