package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The chat-completion convention that OpenAI began and most providers speak. Error bodies come in
 * many shapes; what the status does not say is read from codes and words (wire FACTS 4).
 */
final class OpenAiDialect implements Dialect {
  static final OpenAiDialect INSTANCE = new OpenAiDialect();
  private static final int RETRY_AFTER_SECONDS_MAX = 60;

  private OpenAiDialect() {}

  @Override
  public String target(Operation operation, Provider provider) {
    return switch (operation) {
      case CHAT -> provider.basePath() + "/chat/completions";
    };
  }

  @Override
  public List<Field> authorization(Secret credential) {
    return List.of(new Field("authorization", "Bearer " + credential.reveal()));
  }

  @Override
  public UpstreamFailure failure(int status, Headers headers, byte[] body, int length) {
    return classify(status, retryAfter(headers), ErrorBody.read(body, 0, length));
  }

  @Override
  public UpstreamFailure failureInside(byte[] json, int from, int to) {
    ErrorBody error = ErrorBody.read(json, from, to);
    return classify(error.impliedStatus(), 0, error);
  }

  private static UpstreamFailure classify(int status, int retryAfter, ErrorBody error) {
    return new UpstreamFailure(
        kind(status, error), status, error.message(), error.param(), error.code(), retryAfter);
  }

  private static Kind kind(int status, ErrorBody error) {
    if (error.saysAny("insufficient_quota", "insufficient balance", "billing_hard_limit")) {
      return Kind.CREDENTIAL_REFUSED;
    }
    return switch (status) {
      case 400, 422 -> kindOfRejection(error);
      case 401, 402, 403 -> Kind.CREDENTIAL_REFUSED;
      case 404 -> Kind.MODEL_MISSING;
      case 413 -> Kind.TOO_LARGE;
      case 429 -> Kind.RATE_LIMITED;
      case 408 -> Kind.SERVER_ERROR;
      default -> status >= 500 && status < 600 ? Kind.SERVER_ERROR : Kind.UNEXPECTED_REPLY;
    };
  }

  private static Kind kindOfRejection(ErrorBody error) {
    if (error.saysAny("invalid_api_key", "api_key_invalid", "incorrect api key")) {
      return Kind.CREDENTIAL_REFUSED;
    }
    if (error.saysAny(
        "context_length",
        "context length",
        "exceed_context_size",
        "too many tokens",
        "prompt is too long",
        "maximum context")) {
      return Kind.CONTEXT_TOO_LONG;
    }
    if (error.saysAny(
        "content_filter", "content_policy", "responsibleaipolicyviolation", "content management")) {
      return Kind.CONTENT_FILTERED;
    }
    return Kind.REJECTED;
  }

  /** Seconds to wait, rounded up; 0 where nothing usable was said. */
  private static int retryAfter(Headers headers) {
    int millis = digits(headers.first("retry-after-ms"));
    if (millis > 0) {
      return Math.min(RETRY_AFTER_SECONDS_MAX, Math.ceilDiv(millis, 1000));
    }
    return Math.min(RETRY_AFTER_SECONDS_MAX, digits(headers.first("retry-after")));
  }

  private static int digits(@Nullable String text) {
    if (text == null || text.isEmpty() || text.length() > 9) {
      return 0;
    }
    return text.chars().allMatch(c -> c >= '0' && c <= '9') ? Integer.parseInt(text) : 0;
  }
}
