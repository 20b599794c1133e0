package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.http.UnsignedRequest;
import java.util.List;
import java.util.Optional;

/** A provider's wire format: how a call is addressed, and what its errors mean. Stateless. */
public interface Dialect {
  /**
   * The request target of an operation by a route, such as {@code /v1/chat/completions}.
   *
   * @param stream whether the reply is to come as a stream
   */
  String target(Operation operation, Route route, boolean stream);

  /**
   * The target of a GET that costs nothing and is refused with a credential that is not good; empty
   * where there is none.
   */
  Optional<String> credentialCheck(Provider provider);

  /** How its streams are framed. */
  default StreamFraming framing() {
    return StreamFraming.EVENTS;
  }

  /** Fields of every request, unless the provider is configured with others of their names. */
  List<Field> fields();

  /** The fields that carry a credential. */
  List<Field> authorization(Secret credential);

  /** The same for one request that is ready but for them, where they depend on it. */
  default List<Field> authorization(Secret credential, UnsignedRequest call) {
    return authorization(credential);
  }

  /** Whether a credential signs what is sent, so that its body's hash is needed ahead of it. */
  default boolean signs(Secret credential) {
    return false;
  }

  /**
   * Classifies a reply whose status is not 200.
   *
   * @param body the body as far as it came; if that is cut, the status alone says what it means
   */
  UpstreamFailure failure(int status, Headers headers, byte[] body, int length);

  /** Classifies an error object that came inside a 200: as a stream's event or as the body. */
  UpstreamFailure failureInside(byte[] json, int from, int to);

  /** What it does to chats; empty where they are canonical, so that nothing is done. */
  Optional<ChatTranslation> translation();

  /** What it does to requests for vectors; empty where they are canonical. */
  Optional<EmbeddingTranslation> embeddings();

  /** What it does to requests for images; empty where they are canonical. */
  default Optional<ImageTranslation> images() {
    return Optional.empty();
  }

  /** What it does to a provider's replies; empty where they are canonical. */
  default Optional<? extends ReplyTranslation> replies(Operation operation, Provider provider) {
    return switch (operation) {
      case CHAT -> translation();
      case EMBEDDING -> embeddings();
      case IMAGE, IMAGE_EDIT -> images();
      case COMPLETION, SPEECH, TRANSCRIPTION -> Optional.empty();
    };
  }

  /** What is asked of a provider. */
  enum Operation {
    CHAT,
    COMPLETION,
    EMBEDDING,
    SPEECH,
    TRANSCRIPTION,
    IMAGE,
    /** The same from images. */
    IMAGE_EDIT
  }
}
