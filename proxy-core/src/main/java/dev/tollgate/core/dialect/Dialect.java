package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.http.UnsignedRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Wire format of a provider's API: request targets, credential headers, stream framing, error
 * classification, and translations of requests and replies. Implementations are stateless.
 */
public interface Dialect {
  /**
   * Returns the request target of an operation, such as {@code /v1/chat/completions}.
   *
   * @param stream true if the reply is to be a stream
   */
  String target(Operation operation, Route route, boolean stream);

  /**
   * Returns the target of a GET that costs nothing and is refused with an invalid credential; empty
   * means there is none.
   */
  Optional<String> credentialCheck(Provider provider);

  /** Returns the framing of streams. */
  default StreamFraming framing() {
    return StreamFraming.EVENTS;
  }

  /**
   * Returns the schemes of media URLs that name an object of a storage, which the provider reads
   * with the operator's account and without a connection of its own choice.
   */
  default Set<String> storageSchemes() {
    return Set.of();
  }

  /** Returns the fields of every request, which configured fields of the same names replace. */
  List<Field> fields();

  /** Returns the fields that carry a credential. */
  List<Field> authorization(Secret credential);

  /**
   * Returns the fields that carry a credential, if they depend on the request; the request is
   * complete but for them.
   */
  default List<Field> authorization(Secret credential, UnsignedRequest call) {
    return authorization(credential);
  }

  /**
   * True if a credential signs requests, so that the hash of the body is needed before it is sent.
   */
  default boolean signs(Secret credential) {
    return false;
  }

  /**
   * Classifies a reply whose status is not 200.
   *
   * @param body the received part of the body; if it is cut off, the status alone decides
   */
  UpstreamFailure failure(int status, Headers headers, byte[] body, int length);

  /** Classifies an error object inside a 200: an event of a stream, or the body. */
  UpstreamFailure failureInside(byte[] json, int from, int to);

  /** Returns the translation of chats; empty means the format is canonical. */
  Optional<ChatTranslation> translation();

  /** Returns the translation of embeddings; empty means the format is canonical. */
  Optional<EmbeddingTranslation> embeddings();

  /** Returns the translation of images; empty means the format is canonical. */
  default Optional<ImageTranslation> images() {
    return Optional.empty();
  }

  /** Returns the translation of replies; empty means the format is canonical. */
  default Optional<? extends ReplyTranslation> replies(Operation operation, Provider provider) {
    return switch (operation) {
      case CHAT -> translation();
      case EMBEDDING -> embeddings();
      case IMAGE, IMAGE_EDIT -> images();
      case COMPLETION, SPEECH, TRANSCRIPTION -> Optional.empty();
    };
  }

  /** Kind of API request that the gateway sends to a provider. */
  enum Operation {
    CHAT,
    COMPLETION,
    EMBEDDING,
    SPEECH,
    TRANSCRIPTION,
    IMAGE,
    /** An image made from other images. */
    IMAGE_EDIT
  }
}
