package dev.tollgate.core.fault;

import dev.tollgate.core.id.ProviderId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Error that a client gets as a reply or in a stream (docs/decisions/errors.md#envelope), without
 * the request id, which the reply adds.
 *
 * @param param JSON path of the offending field, such as {@code messages[2].role}
 * @param provider slug of the provider that failed
 * @param retryAfterSeconds whole seconds until a retry makes sense; 0 means unknown
 * @param retryForbidden true if the client must not retry although the code would allow it
 * @param details structured context: values are String, Number, Boolean, List or Map of those
 */
public record Fault(
    ErrorCode code,
    String message,
    @Nullable String param,
    @Nullable ProviderId provider,
    int retryAfterSeconds,
    boolean retryForbidden,
    Map<String, Object> details) {
  private static final int RETRY_AFTER_SECONDS_MAX = 5;

  public Fault {
    details = Map.copyOf(details);
  }

  public static Fault of(ErrorCode code, String message) {
    return new Fault(code, message, null, null, 0, false, Map.of());
  }

  /**
   * Returns a 503 of the gateway. Its Retry-After is random, so that clients that were refused
   * together do not return together.
   */
  public static Fault tryLater(String message) {
    return of(ErrorCode.SERVICE_UNAVAILABLE, message).withRetryAfter(randomRetryAfterSeconds());
  }

  /** Returns a random Retry-After, for a refusal whose cause is not the request. */
  public static int randomRetryAfterSeconds() {
    return ThreadLocalRandom.current().nextInt(1, RETRY_AFTER_SECONDS_MAX + 1);
  }

  /** Returns a 400 for one field. */
  public static Fault invalid(String param, String message) {
    return invalid(List.of(new Issue(param, message)));
  }

  /** Returns a 400 that lists every issue; {@code param} is that of the first one. */
  public static Fault invalid(List<Issue> issues) {
    Issue first = issues.getFirst();
    return new Fault(
        ErrorCode.VALIDATION_FAILED,
        first.param() == null ? first.message() : first.param() + ": " + first.message(),
        first.param(),
        null,
        0,
        false,
        Map.of("issues", issues.stream().map(Issue::toDetails).toList()));
  }

  public Fault withProvider(ProviderId slug) {
    return new Fault(code, message, param, slug, retryAfterSeconds, retryForbidden, details);
  }

  public Fault withRetryAfter(int seconds) {
    return new Fault(code, message, param, provider, seconds, retryForbidden, details);
  }

  public Fault withoutRetry() {
    return new Fault(code, message, param, provider, retryAfterSeconds, true, details);
  }

  public Fault withDetails(Map<String, Object> more) {
    return new Fault(code, message, param, provider, retryAfterSeconds, retryForbidden, more);
  }

  /**
   * Returns the value of the {@code x-should-retry} header, or null if SDKs may decide
   * (docs/decisions/errors.md#retry-advice): false if a retry cannot help, true if a Retry-After
   * gives the time from which it can.
   */
  public @Nullable Boolean shouldRetry() {
    return switch (code.clientRetry()) {
      case NO -> false;
      case WITH_RETRY_AFTER_ONLY -> !retryForbidden && retryAfterSeconds > 0;
      case YES -> retryForbidden ? Boolean.FALSE : retryAfterSeconds > 0 ? Boolean.TRUE : null;
    };
  }

  /** Validation issue: a field and a message. */
  public record Issue(@Nullable String param, String message) {
    Map<String, Object> toDetails() {
      return param == null
          ? Map.of("message", message)
          : Map.of("param", param, "message", message);
    }
  }
}
