package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.EmbeddingTranslation;
import dev.tollgate.core.dialect.ErrorBody;
import dev.tollgate.core.dialect.ImageTranslation;
import dev.tollgate.core.dialect.RetryAfter;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Dialect of Gemini's generateContent API, called with an API key of Google AI Studio. */
public final class GeminiDialect implements Dialect {
  public static final GeminiDialect INSTANCE = new GeminiDialect();

  private static final Optional<ChatTranslation> TRANSLATION = Optional.of(new GeminiChat());

  private static final Optional<EmbeddingTranslation> EMBEDDINGS =
      Optional.of(new GeminiEmbeddings());

  static final Optional<ImageTranslation> IMAGES = Optional.of(new GeminiImages());

  private GeminiDialect() {}

  @Override
  public String target(Operation operation, Route route, boolean stream) {
    String model = base(route.provider()) + "/models/" + route.upstreamModel();
    return switch (operation) {
      case CHAT -> model + chat(stream);
      case EMBEDDING -> model + ":batchEmbedContents";
      case IMAGE, IMAGE_EDIT -> model + chat(false);
      case COMPLETION, SPEECH, TRANSCRIPTION ->
          throw new IllegalArgumentException("Gemini has no " + operation); // the loader refused it
    };
  }

  /**
   * Returns the end of the target of a chat; without {@code alt=sse} a stream would be one long
   * JSON array.
   */
  static String chat(boolean stream) {
    return stream ? ":streamGenerateContent?alt=sse" : ":generateContent";
  }

  private static String base(Provider provider) {
    String base = provider.basePath();
    return base.contains("/v1") ? base : base + "/v1beta";
  }

  @Override
  public Optional<String> credentialCheck(Provider provider) {
    return Optional.of(base(provider) + "/models?pageSize=1");
  }

  @Override
  public Set<String> storageSchemes() {
    return Set.of("gs");
  }

  @Override
  public List<Field> fields() {
    return List.of();
  }

  @Override
  public List<Field> authorization(Secret credential) {
    return List.of(new Field("x-goog-api-key", credential.reveal()));
  }

  @Override
  public Optional<ChatTranslation> translation() {
    return TRANSLATION;
  }

  @Override
  public Optional<EmbeddingTranslation> embeddings() {
    return EMBEDDINGS;
  }

  @Override
  public Optional<ImageTranslation> images() {
    return IMAGES;
  }

  @Override
  public UpstreamFailure failure(int status, Headers headers, byte[] body, int length) {
    return GoogleFailure.of(status, RetryAfter.of(headers), ErrorBody.read(body, 0, length));
  }

  @Override
  public UpstreamFailure failureInside(byte[] json, int from, int to) {
    ErrorBody error = ErrorBody.read(json, from, to);
    return GoogleFailure.of(error.impliedStatus(), 0, error);
  }
}
