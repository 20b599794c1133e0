package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.exchange.frame.RequestRecord.AttemptRecord;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.routing.NoProviderRefusal;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Mapping of provider failures to client errors (docs/decisions/errors.md#provider-failures). */
public final class FaultMapper {
  private static final Set<ErrorCode> RETRYABLE =
      EnumSet.of(
          ErrorCode.PROVIDER_RATE_LIMITED,
          ErrorCode.PROVIDER_UNAVAILABLE,
          ErrorCode.PROVIDER_TIMEOUT);

  /** The client's error for an unexpected exception in the gateway. */
  public static final Fault UNEXPECTED_FAILURE =
      Fault.of(ErrorCode.INTERNAL_FAILURE, "The request failed unexpectedly.");

  private static final int RETRY_AFTER_SECONDS_MAX = 60;

  private FaultMapper() {}

  /** Returns the fault if no further attempt follows. */
  public static Fault toFault(
      UpstreamFailure failure,
      InferenceRequest request,
      ProviderId provider,
      List<AttemptRecord> attempts) {
    String param = failure.isRequestFault() ? failure.param() : null;
    Fault fault =
        new Fault(
            code(failure),
            message(failure),
            param == null ? null : request.paramOf(param),
            provider,
            RETRYABLE.contains(code(failure)) ? retryAfterSeconds(failure) : 0,
            isPermanent(failure),
            details(failure, attempts));
    if (failure.kind() == UpstreamFailure.Kind.OVERLOADED) {
      return fault.withRetryAfter(Fault.randomRetryAfterSeconds());
    }
    return fault.code() == ErrorCode.PROVIDER_RATE_LIMITED && fault.retryAfterSeconds() == 0
        ? fault.withRetryAfter(1)
        : fault;
  }

  /** True if waiting does not help. */
  private static boolean isPermanent(UpstreamFailure failure) {
    return failure.kind() == UpstreamFailure.Kind.CREDENTIAL_REFUSED
        || failure.kind() == UpstreamFailure.Kind.LIMIT_TOO_LOW;
  }

  /** True if the provider reports a request above the rate limit as too large, and not as 429. */
  private static boolean isReportedTooLarge(UpstreamFailure failure) {
    return failure.status() == 413;
  }

  /**
   * Returns the provider's advice, bounded: another key or provider may serve the client sooner.
   */
  private static int retryAfterSeconds(UpstreamFailure failure) {
    return Math.min(failure.retryAfterSeconds(), RETRY_AFTER_SECONDS_MAX);
  }

  /** Returns the outcome in the access log for the same failure. */
  public static RequestOutcome toOutcome(UpstreamFailure failure) {
    return switch (failure.kind()) {
      case UNREACHABLE, POOL_FULL, SERVER_ERROR -> RequestOutcome.PROVIDER_UNAVAILABLE;
      case DISCONNECTED -> RequestOutcome.PROVIDER_DISCONNECT;
      case UNEXPECTED_REPLY, MODEL_MISSING, MALFORMED, OVERSIZED -> RequestOutcome.PROVIDER_ERROR;
      case RATE_LIMITED -> RequestOutcome.PROVIDER_RATE_LIMITED;
      case CREDENTIAL_REFUSED -> RequestOutcome.PROVIDER_AUTH;
      case CONTEXT_TOO_LONG, CONTENT_FILTERED, REJECTED, TOO_LARGE ->
          RequestOutcome.PROVIDER_REJECTED;
      case LIMIT_TOO_LOW ->
          isReportedTooLarge(failure)
              ? RequestOutcome.PROVIDER_REJECTED
              : RequestOutcome.PROVIDER_RATE_LIMITED;
      case TIMED_OUT -> RequestOutcome.PROVIDER_TIMEOUT;
      case INTERRUPTED, DIVERGED -> RequestOutcome.STREAM_INTERRUPTED;
      case OVERLOADED -> RequestOutcome.SHED;
    };
  }

  /** Returns the outcome in the access log if no provider was left. */
  public static RequestOutcome toOutcome(NoProviderRefusal refusal) {
    return refusal.isRateLimited()
        ? RequestOutcome.PROVIDER_RATE_LIMITED
        : RequestOutcome.PROVIDER_UNAVAILABLE;
  }

  private static ErrorCode code(UpstreamFailure failure) {
    return switch (failure.kind()) {
      case UNREACHABLE, POOL_FULL, SERVER_ERROR -> ErrorCode.PROVIDER_UNAVAILABLE;
      case DISCONNECTED -> ErrorCode.PROVIDER_DISCONNECT;
      case UNEXPECTED_REPLY, CREDENTIAL_REFUSED, MODEL_MISSING, MALFORMED, OVERSIZED ->
          ErrorCode.PROVIDER_FAILURE;
      case RATE_LIMITED -> ErrorCode.PROVIDER_RATE_LIMITED;
      case CONTEXT_TOO_LONG, CONTENT_FILTERED, REJECTED -> ErrorCode.VALIDATION_FAILED;
      case TOO_LARGE -> ErrorCode.REQUEST_TOO_LARGE;
      case LIMIT_TOO_LOW ->
          isReportedTooLarge(failure)
              ? ErrorCode.REQUEST_TOO_LARGE
              : ErrorCode.PROVIDER_RATE_LIMITED;
      case TIMED_OUT -> ErrorCode.PROVIDER_TIMEOUT;
      case INTERRUPTED, DIVERGED -> ErrorCode.STREAM_INTERRUPTED;
      case OVERLOADED -> ErrorCode.SERVICE_UNAVAILABLE;
    };
  }

  private static String message(UpstreamFailure failure) {
    if (failure.isRequestFault() && !failure.message().isEmpty()) {
      return failure.message();
    }
    return switch (failure.kind()) {
      case UNREACHABLE -> "the provider could not be reached";
      case POOL_FULL -> "all connections to the provider are in use";
      case DISCONNECTED -> "the provider closed the connection before its reply was complete";
      case UNEXPECTED_REPLY -> "the provider's reply was not what was asked for";
      case SERVER_ERROR -> "the provider failed";
      case RATE_LIMITED -> "the provider limits our rate";
      case CREDENTIAL_REFUSED -> "the provider refused the gateway's credential";
      case MODEL_MISSING -> "the provider does not know the model";
      case TIMED_OUT -> "the provider did not answer in time";
      case MALFORMED -> "the provider's reply was malformed";
      case INTERRUPTED -> "the provider's stream broke off";
      case DIVERGED -> "the provider's stream differs from the one that it should continue";
      case OVERSIZED -> "the provider's reply is larger than the gateway takes";
      case OVERLOADED -> "the gateway has no memory left for this request";
      case CONTEXT_TOO_LONG -> "the request is longer than the model's context";
      case CONTENT_FILTERED -> "the provider refused the content";
      case REJECTED -> "the provider rejected the request";
      case TOO_LARGE -> "the request is too large for the provider";
      case LIMIT_TOO_LOW -> "the request alone is above the rate limit that we have there";
    };
  }

  private static Map<String, Object> details(
      UpstreamFailure failure, List<AttemptRecord> attempts) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("attempts", attempts.stream().map(FaultMapper::attempt).toList());
    putIfKnown(details, "provider_code", failure.providerCode());
    return details;
  }

  private static void putIfKnown(Map<String, Object> details, String name, @Nullable Object value) {
    if (value != null) {
      details.put(name, value);
    }
  }

  private static Map<String, Object> attempt(AttemptRecord attempt) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("provider", attempt.provider().value());
    entry.put("outcome", attempt.outcome());
    entry.put("status", attempt.status());
    entry.put("ms", attempt.took().toMillis());
    if (!attempt.resume().isEmpty()) {
      entry.put("resume", attempt.resume());
    }
    if (!attempt.message().isEmpty()) {
      entry.put("message", attempt.message());
    }
    if (attempt.resent() > 0) {
      entry.put("resent", attempt.resent());
    }
    return entry;
  }
}
