package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.EmbeddingTranslation;
import dev.tollgate.core.dialect.ImageTranslation;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.anthropic.AnthropicChat;
import dev.tollgate.core.dialect.anthropic.AnthropicDialect;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Dialect of Google's Vertex AI for Gemini models, and for Anthropic's models in Anthropic's own
 * format. Both are addressed as a publisher's model under the provider's path, and need an access
 * token.
 */
public final class VertexDialect implements Dialect {
  public static final VertexDialect GEMINI = new VertexDialect(Publisher.GOOGLE, new GeminiChat());
  public static final VertexDialect ANTHROPIC =
      new VertexDialect(Publisher.ANTHROPIC, new AnthropicChat(AnthropicChat.Host.VERTEX));

  private final Publisher publisher;
  private final Optional<ChatTranslation> translation;

  /** Publisher of a model on Vertex AI, which determines the format of requests and replies. */
  private enum Publisher {
    GOOGLE,
    ANTHROPIC
  }

  private VertexDialect(Publisher publisher, ChatTranslation translation) {
    this.publisher = publisher;
    this.translation = Optional.of(translation);
  }

  @Override
  public String target(Operation operation, Route route, boolean stream) {
    boolean isImage =
        publisher == Publisher.GOOGLE
            && (operation == Operation.IMAGE || operation == Operation.IMAGE_EDIT);
    if (operation != Operation.CHAT && !isImage) {
      throw new IllegalArgumentException("Vertex has no " + operation); // the loader refused it
    }
    String model = route.provider().basePath() + "/models/" + route.upstreamModel();
    return switch (publisher) {
      case GOOGLE -> model + GeminiDialect.chat(stream);
      case ANTHROPIC -> model + (stream ? ":streamRawPredict" : ":rawPredict");
    };
  }

  /** Returns no target: a token that could be fetched is valid, and every call costs money. */
  @Override
  public Optional<String> credentialCheck(Provider provider) {
    return Optional.empty();
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
    return List.of(new Field("authorization", "Bearer " + credential.reveal()));
  }

  @Override
  public Optional<ChatTranslation> translation() {
    return translation;
  }

  @Override
  public Optional<EmbeddingTranslation> embeddings() {
    return Optional.empty();
  }

  @Override
  public Optional<ImageTranslation> images() {
    return publisher == Publisher.GOOGLE ? GeminiDialect.IMAGES : Optional.empty();
  }

  /** Classifies errors of Vertex and of Anthropic, which differ in form. */
  @Override
  public UpstreamFailure failure(int status, Headers headers, byte[] body, int length) {
    return switch (publisher) {
      case GOOGLE -> GeminiDialect.INSTANCE.failure(status, headers, body, length);
      case ANTHROPIC ->
          isAnthropics(body, length)
              ? AnthropicDialect.INSTANCE.failure(status, headers, body, length)
              : GeminiDialect.INSTANCE.failure(status, headers, body, length);
    };
  }

  private static boolean isAnthropics(byte[] body, int length) {
    try {
      return JsonReads.isString(JsonMembers.of(body, 0, length), "type", "error");
    } catch (InvalidJson e) {
      return false;
    }
  }

  @Override
  public UpstreamFailure failureInside(byte[] json, int from, int to) {
    return switch (publisher) {
      case GOOGLE -> GeminiDialect.INSTANCE.failureInside(json, from, to);
      case ANTHROPIC -> AnthropicDialect.INSTANCE.failureInside(json, from, to);
    };
  }
}
