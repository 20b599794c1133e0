package dev.tollgate.core.dialect.cohere;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.EmbeddingTranslation;
import dev.tollgate.core.dialect.ErrorBody;
import dev.tollgate.core.dialect.ErrorKinds;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.RetryAfter;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.openai.OpenAiDialect;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.List;
import java.util.Optional;

/** Dialect of version 2 of Cohere's API, for chats and embeddings. */
public final class CohereDialect implements Dialect {
  public static final CohereDialect INSTANCE = new CohereDialect();

  private static final Optional<ChatTranslation> CHATS = Optional.of(new CohereChat());
  private static final Optional<EmbeddingTranslation> VECTORS = Optional.of(new CohereEmbeddings());

  /** Cohere's status for an invalid key. */
  private static final int INVALID_TOKEN = 498;

  private CohereDialect() {}

  @Override
  public String target(Operation operation, Route route, boolean stream) {
    String base = route.provider().basePath();
    return switch (operation) {
      case CHAT -> base + "/v2/chat";
      case EMBEDDING -> base + "/v2/embed";
      case COMPLETION, SPEECH, TRANSCRIPTION, IMAGE, IMAGE_EDIT ->
          throw new IllegalArgumentException("Cohere has no " + operation); // the loader refused it
    };
  }

  @Override
  public Optional<String> credentialCheck(Provider provider) {
    return Optional.of(provider.basePath() + "/v1/models?page_size=1");
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
  public Optional<ChatTranslation> translation() {
    return CHATS;
  }

  @Override
  public Optional<EmbeddingTranslation> embeddings() {
    return VECTORS;
  }

  @Override
  public UpstreamFailure failure(int status, Headers headers, byte[] body, int length) {
    return classify(status, RetryAfter.of(headers), ErrorBody.read(body, 0, length));
  }

  /** Classifies the end of a message that failed; it has no status. */
  @Override
  public UpstreamFailure failureInside(byte[] json, int from, int to) {
    try {
      JsonMembers root = JsonMembers.of(json, from, to);
      int delta = JsonReads.find(root, "delta", JsonKind.OBJECT);
      if (delta >= 0) {
        int start = root.valueStart(delta);
        return classify(0, 0, ErrorBody.read(json, start, root.valueEnd(delta)));
      }
    } catch (InvalidJson e) {
      // Classified below.
    }
    ErrorBody error = ErrorBody.read(json, from, to);
    return classify(error.impliedStatus(), 0, error);
  }

  private static UpstreamFailure classify(int status, int retryAfter, ErrorBody error) {
    Kind kind =
        status == INVALID_TOKEN
            ? Kind.CREDENTIAL_REFUSED
            : status == 0 ? Kind.SERVER_ERROR : ErrorKinds.of(status, error);
    return new UpstreamFailure(
        kind, status, error.message(), error.param(), error.type(), retryAfter);
  }
}
