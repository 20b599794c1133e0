package dev.tollgate.core.dialect.openai;

import dev.tollgate.core.catalog.ImageApiStyle;
import dev.tollgate.core.catalog.OpenAiQuirks.Reasoning;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.EmbeddingTranslation;
import dev.tollgate.core.dialect.ErrorBody;
import dev.tollgate.core.dialect.ReplyTranslation;
import dev.tollgate.core.dialect.RetryAfter;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import java.util.List;
import java.util.Optional;

/**
 * Dialect of OpenAI's API, which most providers implement, so that requests need no translation.
 * Error bodies have many shapes; what the status does not show is read from codes and messages.
 */
public final class OpenAiDialect implements Dialect {
  public static final OpenAiDialect INSTANCE = new OpenAiDialect();

  private OpenAiDialect() {}

  @Override
  public String target(Operation operation, Route route, boolean stream) {
    Provider provider = route.provider();
    ImageApiStyle.ImageSources sources = provider.quirks().openAiQuirks().imageApiStyle().sources();
    boolean isNoEdit =
        operation == Operation.IMAGE_EDIT && sources == ImageApiStyle.ImageSources.SINGLE_URL;
    return provider.basePath() + path(isNoEdit ? Operation.IMAGE : operation);
  }

  /** Returns the path after the base URL of a compatible API. */
  static String path(Operation operation) {
    return switch (operation) {
      case CHAT -> "/chat/completions";
      case COMPLETION -> "/completions";
      case EMBEDDING -> "/embeddings";
      case SPEECH -> "/audio/speech";
      case TRANSCRIPTION -> "/audio/transcriptions";
      case IMAGE -> "/images/generations";
      case IMAGE_EDIT -> "/images/edits";
    };
  }

  @Override
  public Optional<String> credentialCheck(Provider provider) {
    return Optional.of(provider.basePath() + "/models");
  }

  @Override
  public List<Field> fields() {
    return List.of();
  }

  @Override
  public List<Field> authorization(Secret credential) {
    return List.of(new Field("authorization", "Bearer " + credential.reveal()));
  }

  @Override
  public UpstreamFailure failure(int status, Headers headers, byte[] body, int length) {
    ErrorBody error = ErrorBody.read(body, 0, length);
    UpstreamFailure failure = classify(status, RetryAfter.of(headers), error);
    return status == 429 && failure.retryAfterSeconds() == 0 && !RetryAfter.isIn(headers)
        ? failure.withRetryAfter(RateLimits.secondsUntilReset(headers, error))
        : failure;
  }

  @Override
  public UpstreamFailure failureInside(byte[] json, int from, int to) {
    ErrorBody error = ErrorBody.read(json, from, to);
    return classify(error.impliedStatus(), 0, error);
  }

  @Override
  public Optional<ChatTranslation> translation() {
    return Optional.empty();
  }

  @Override
  public Optional<EmbeddingTranslation> embeddings() {
    return Optional.empty();
  }

  @Override
  public Optional<? extends ReplyTranslation> replies(Operation operation, Provider provider) {
    Reasoning where = provider.quirks().openAiQuirks().reasoning();
    return operation == Operation.CHAT && where != Reasoning.AS_IS
        ? Optional.of(new ReasoningTranslation(where))
        : Optional.empty();
  }

  private static UpstreamFailure classify(int status, int retryAfter, ErrorBody error) {
    return new UpstreamFailure(
        kind(status, error),
        status,
        error.message(),
        error.param(),
        error.code(),
        retryAfter > 0 ? retryAfter : error.retryAfterSeconds());
  }

  /** Classifies a status and a body. */
  public static Kind kind(int status, ErrorBody error) {
    return switch (status) {
      case 400, 422 -> kindOfRejection(error);
      case 401, 402 -> Kind.CREDENTIAL_REFUSED;
      case 403 -> kindOfRefusal(error);
      case 404 -> Kind.MODEL_MISSING;
      case 413 ->
          error.codeContainsAny("rate_limit_exceeded") ? Kind.LIMIT_TOO_LOW : Kind.TOO_LARGE;
      case 429 -> kindOfLimit(error);
      case 408 -> Kind.SERVER_ERROR;
      default -> status >= 500 && status < 600 ? Kind.SERVER_ERROR : Kind.UNEXPECTED_REPLY;
    };
  }

  // An account without credit answers 429 too, and so does one whose tokens per minute are fewer
  // than the request's: waiting does not help.
  private static Kind kindOfLimit(ErrorBody error) {
    if (error.codeContainsAny("insufficient_quota", "billing_hard_limit", "billing_not_active")) {
      return Kind.CREDENTIAL_REFUSED;
    }
    return error.beginsWithAny("request too large") ? Kind.LIMIT_TOO_LOW : Kind.RATE_LIMITED;
  }

  // A moderated prompt is the client's fault, and a model that the key may not use is the route's:
  // the credential is valid for others.
  private static Kind kindOfRefusal(ErrorBody error) {
    if (error.containsAny(
        "moderation",
        "flagged",
        "content_policy",
        "content_filter",
        "usage guidelines",
        "safety_check")) {
      return Kind.CONTENT_FILTERED;
    }
    boolean isAboutModel =
        error.codeContainsAny("model_not_found") || error.containsAny("not allowed to sample");
    return isAboutModel ? Kind.MODEL_MISSING : Kind.CREDENTIAL_REFUSED;
  }

  private static Kind kindOfRejection(ErrorBody error) {
    if (error.codeContainsAny("invalid_api_key", "api_key_invalid")
        || error.beginsWithAny(
            "incorrect api key", "invalid api key", "api key not valid", "api key expired")) {
      return Kind.CREDENTIAL_REFUSED;
    }
    if (error.codeContainsAny("model_decommissioned", "model_not_found", "deploymentnotfound")) {
      return Kind.MODEL_MISSING;
    }
    if (error.containsAny(
        "context_length",
        "context length",
        "context window",
        "exceed_context_size",
        "too many tokens",
        "too_many_tokens",
        "prompt is too long",
        "maximum context")) {
      return Kind.CONTEXT_TOO_LONG;
    }
    if (error.containsAny(
        "content_filter", "content_policy", "responsibleaipolicyviolation", "content management")) {
      return Kind.CONTENT_FILTERED;
    }
    return Kind.REJECTED;
  }
}
