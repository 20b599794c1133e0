package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.EmbeddingTranslation;
import dev.tollgate.core.dialect.ErrorBody;
import dev.tollgate.core.dialect.ErrorKinds;
import dev.tollgate.core.dialect.RetryAfter;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Dialect of Anthropic's Messages API: request targets, credential headers, error classification
 * and chat translation.
 */
public final class AnthropicDialect implements Dialect {
  public static final AnthropicDialect INSTANCE = new AnthropicDialect();

  private static final String VERSION_PREFIX = "/v1";
  private static final List<Field> FIELDS = List.of(new Field("anthropic-version", "2023-06-01"));
  private static final Optional<ChatTranslation> TRANSLATION =
      Optional.of(new AnthropicChat(AnthropicChat.Host.ANTHROPIC));

  /** Statuses by error type: errors inside a stream have no other status. */
  private static final Map<String, Integer> STATUS_OF_TYPE =
      Map.of(
          "invalid_request_error", 400,
          "authentication_error", 401,
          "billing_error", 402,
          "permission_error", 403,
          "not_found_error", 404,
          "request_too_large", 413,
          "rate_limit_error", 429,
          "api_error", 500,
          "timeout_error", 504,
          "overloaded_error", 529);

  private AnthropicDialect() {}

  @Override
  public String target(Operation operation, Route route, boolean stream) {
    if (operation != Operation.CHAT) {
      throw new IllegalArgumentException("Anthropic has no " + operation); // the loader refused it
    }
    return base(route.provider()) + "/messages";
  }

  @Override
  public Optional<String> credentialCheck(Provider provider) {
    return Optional.of(base(provider) + "/models?limit=1");
  }

  private static String base(Provider provider) {
    String base = provider.basePath();
    return base.endsWith(VERSION_PREFIX) ? base : base + VERSION_PREFIX;
  }

  @Override
  public List<Field> fields() {
    return FIELDS;
  }

  @Override
  public List<Field> authorization(Secret credential) {
    return List.of(new Field("x-api-key", credential.reveal()));
  }

  @Override
  public Optional<ChatTranslation> translation() {
    return TRANSLATION;
  }

  @Override
  public Optional<EmbeddingTranslation> embeddings() {
    return Optional.empty();
  }

  @Override
  public UpstreamFailure failure(int status, Headers headers, byte[] body, int length) {
    int wait = RetryAfter.of(headers);
    return classify(
        status,
        wait == 0 && status == 429 ? AnthropicLimits.secondsUntilReset(headers) : wait,
        ErrorBody.read(body, 0, length));
  }

  @Override
  public UpstreamFailure failureInside(byte[] json, int from, int to) {
    ErrorBody error = ErrorBody.read(json, from, to);
    String type = error.type() == null ? "" : error.type();
    return classify(STATUS_OF_TYPE.getOrDefault(type, error.impliedStatus()), 0, error);
  }

  private static UpstreamFailure classify(int status, int retryAfter, ErrorBody error) {
    return new UpstreamFailure(
        ErrorKinds.of(status, error),
        status,
        error.message(),
        error.param(),
        error.type(),
        retryAfter);
  }
}
