package dev.tollgate.core.dialect.ollama;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.EmbeddingTranslation;
import dev.tollgate.core.dialect.StreamFraming;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.openai.OpenAiDialect;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import java.util.List;
import java.util.Optional;

/** Dialect of Ollama's own API; streams are lines of JSON. */
public final class OllamaDialect implements Dialect {
  public static final OllamaDialect INSTANCE = new OllamaDialect();

  private static final Optional<ChatTranslation> CHATS = Optional.of(new OllamaChat());

  private OllamaDialect() {}

  @Override
  public String target(Operation operation, Route route, boolean stream) {
    if (operation != Operation.CHAT) {
      throw new IllegalArgumentException("Ollama has no " + operation); // the loader refused it
    }
    return route.provider().basePath() + "/api/chat";
  }

  @Override
  public Optional<String> credentialCheck(Provider provider) {
    return Optional.of(provider.basePath() + "/api/tags");
  }

  @Override
  public List<Field> fields() {
    return List.of();
  }

  @Override
  public List<Field> authorization(Secret credential) {
    return OpenAiDialect.INSTANCE.authorization(credential);
  }

  @Override
  public StreamFraming framing() {
    return StreamFraming.LINES;
  }

  @Override
  public Optional<ChatTranslation> translation() {
    return CHATS;
  }

  @Override
  public Optional<EmbeddingTranslation> embeddings() {
    return Optional.empty();
  }

  @Override
  public UpstreamFailure failure(int status, Headers headers, byte[] body, int length) {
    return OpenAiDialect.INSTANCE.failure(status, headers, body, length);
  }

  /** Classifies an error inside a stream, which is text alone: the model failed to run. */
  @Override
  public UpstreamFailure failureInside(byte[] json, int from, int to) {
    UpstreamFailure failure = OpenAiDialect.INSTANCE.failureInside(json, from, to);
    return failure.status() == 0
        ? new UpstreamFailure(
            UpstreamFailure.Kind.SERVER_ERROR, 0, failure.message(), null, null, 0)
        : failure;
  }
}
