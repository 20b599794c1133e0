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
import dev.tollgate.core.dialect.ErrorKinds;
import dev.tollgate.core.dialect.ReplyTranslation;
import dev.tollgate.core.dialect.RetryAfter;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import java.util.List;
import java.util.Optional;

/**
 * Dialect of OpenAI's API, which most providers implement, so that requests need no translation.
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
        ErrorKinds.of(status, error),
        status,
        error.message(),
        error.param(),
        error.code(),
        retryAfter > 0 ? retryAfter : error.retryAfterSeconds());
  }
}
