package dev.tollgate.core.api;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.routing.RoutingPreferences;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A valid body of a route that asks a model for something: all that an exchange needs of it, so
 * that routing, money, limits and retries are the same for whatever is asked.
 */
public interface InferenceRequest {
  /** What the provider is asked to do. */
  Operation operation();

  /** What a model must be for it. */
  default Modality modality() {
    return switch (operation()) {
      case CHAT -> Modality.CHAT;
      case COMPLETION -> Modality.COMPLETION;
      case EMBEDDING -> Modality.EMBEDDING;
      case SPEECH -> Modality.SPEECH;
      case TRANSCRIPTION -> Modality.TRANSCRIPTION;
      case IMAGE, IMAGE_EDIT -> Modality.IMAGE;
    };
  }

  /** The model, and the preferences for its routing. */
  RequestTarget target();

  default ModelId model() {
    return target().model();
  }

  default RoutingPreferences routing() {
    return target().routing();
  }

  default boolean isStream() {
    return false;
  }

  /** How its reply comes. */
  default ReplyMode mode() {
    return isStream() ? ReplyMode.EVENTS : ReplyMode.WHOLE;
  }

  /** What its provider is told that it may answer with. */
  default String accept() {
    return switch (mode()) {
      case WHOLE -> "application/json";
      case EVENTS -> "text/event-stream";
      case BYTES -> "*/*";
    };
  }

  /**
   * Whether a content type, in lower case, is one that was asked for, of a reply that is neither
   * JSON nor events.
   */
  default boolean mayBeAnsweredAs(String contentType) {
    return false;
  }

  /**
   * Whether its model may ignore that a stream was asked for, and answer whole: such a reply, and
   * its head, come late.
   */
  default boolean mayBeAnsweredWhole() {
    return !isStream();
  }

  /** How long the reply may take to begin. */
  default Duration replyStartTimeout(Provider.ProviderTimeouts clocks) {
    return clocks.firstToken();
  }

  /**
   * Whether it may be put to a provider after another got it; not where what is made of it is
   * bought, and who got it may have begun.
   */
  default boolean mayBeRepeated() {
    return true;
  }

  /** Its provider has all of one that may not be repeated: nobody needs its body any more. */
  default void releaseBody() {}

  /** The longest reply that is taken from a provider. */
  default int replyBytesMax(Provider provider) {
    return provider.eventBytesMax();
  }

  /**
   * How many bytes a reply that is bought most likely takes; 0: few, or it can be asked for again.
   */
  default long replyBytesLikely(Route route) {
    return 0;
  }

  /** The client's name of a field that a provider complains of. */
  default String paramOf(String upstreamParam) {
    return upstreamParam;
  }

  /** The images that have to be fetched before a provider is asked. */
  default List<RemoteImage> remoteImages() {
    return List.of();
  }

  /** The capabilities that the request uses, as far as they have names. */
  default Set<String> capabilitiesUsed() {
    return Set.of();
  }

  /** JSON paths of what a route's provider would not get, and without which it cannot answer. */
  default List<String> unservable(Route route) {
    return List.of();
  }

  /** JSON paths of what a route's provider would not get, because it has nothing like it. */
  default List<String> unsupported(Route route, Model served) {
    return List.of();
  }

  /** What is said of paths without which no provider can answer. */
  default Fault unservableFault(List<String> paths) {
    return Fault.invalid(
        paths.stream()
            .map(path -> new Fault.Issue(path, "is nothing that the model's provider has"))
            .toList());
  }

  /**
   * What stays the same of the prompt while a conversation grows, up to a bound. Empty where
   * nothing can be told.
   */
  default String promptPrefix() {
    return "";
  }

  /** What the prompt most likely counts, for usage that nobody reported. */
  long promptTokensLikely();

  /**
   * The worst case of this request at a model: what admission reserves
   * (docs/decisions/money.md#reservations).
   */
  MicroUsd estimate(Model served);

  /**
   * What the limit of tokens per minute sets aside: the likely prompt and all that may be written.
   */
  long tokensEstimated(Model served);

  /** The body for a route. Wraps the request's array, which must outlive the buffers. */
  List<ByteBuf> bodyFor(Route route);

  /** The request as it is put to a model, of which nobody has anything yet. */
  InferenceCall call(RequestId id, Model model);

  /** Whether a late stream may be asked for a second time, elsewhere. */
  default boolean mayBeHedged() {
    return false;
  }

  /** Whether a stream that broke off can be continued elsewhere. */
  default boolean mayBeResumed() {
    return false;
  }

  /** Whether a provider can be handed the beginning of the answer. */
  default boolean mayBePrefilled() {
    return false;
  }
}
