package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.openai.OpenAiDialect;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import java.util.List;
import java.util.Optional;

/** Fable, a provider that does not exist: its addresses, its key, its errors. */
final class FableDialect implements Dialect {
  static final FableDialect INSTANCE = new FableDialect();

  private static final Optional<ChatTranslation> CHATS = Optional.of(new FableChat());

  private FableDialect() {}

  @Override
  public String target(Operation operation, Route route, boolean stream) {
    return route.provider().basePath() + "/v1/tell";
  }

  @Override
  public Optional<String> credentialCheck(Provider provider) {
    return Optional.of(provider.basePath() + "/v1/tellers");
  }

  @Override
  public StreamFraming framing() {
    return StreamFraming.LINES;
  }

  @Override
  public List<Field> fields() {
    return List.of();
  }

  @Override
  public List<Field> authorization(Secret credential) {
    return List.of(new Field("fable-key", credential.reveal()));
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

  @Override
  public UpstreamFailure failureInside(byte[] json, int from, int to) {
    return OpenAiDialect.INSTANCE.failureInside(json, from, to);
  }
}
