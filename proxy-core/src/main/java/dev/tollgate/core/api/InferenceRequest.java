package dev.tollgate.core.api;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.prompt.PromptSize;
import dev.tollgate.core.prompt.TextRatio;
import dev.tollgate.core.routing.RoutingPreferences;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Validated inference request of any endpoint, as the request pipeline sees it: routing, cost,
 * limits and retries need no more.
 */
public interface InferenceRequest {
  /** Returns the operation that the provider is asked for. */
  Operation operation();

  /** Returns the modality that the model must have. */
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

  /** Returns the model and the preferences for its routing. */
  RequestTarget target();

  default RoutingPreferences routing() {
    return target().routing();
  }

  default boolean isStream() {
    return false;
  }

  /** Returns the form in which the reply reaches the client. */
  default ReplyMode mode() {
    return isStream() ? ReplyMode.EVENTS : ReplyMode.WHOLE;
  }

  /** Returns the Accept header of the upstream request. */
  default String accept() {
    return switch (mode()) {
      case WHOLE -> "application/json";
      case EVENTS -> "text/event-stream";
      case BYTES -> "*/*";
    };
  }

  /**
   * True if a content type, in lower case, is acceptable for a reply that is neither JSON nor
   * events.
   */
  default boolean mayBeAnsweredAs(String contentType) {
    return false;
  }

  /**
   * True if the model may answer a request for a stream with a whole reply, whose head comes late.
   */
  default boolean mayBeAnsweredWhole() {
    return !isStream();
  }

  /** Returns the longest wait for the start of the reply. */
  default Duration replyStartTimeout(Provider.ProviderTimeouts clocks) {
    return clocks.firstToken();
  }

  /**
   * True if the request may be sent to a provider after another provider has received it. It is
   * false for requests whose result is paid for, because the first provider may have begun.
   */
  default boolean mayBeRepeated() {
    return true;
  }

  /** Releases the body: a request that may not be repeated has been sent completely. */
  default void releaseBody() {}

  /** Returns the size bound of a provider's reply in bytes. */
  default int replyBytesMax(Provider provider) {
    return provider.eventBytesMax();
  }

  /**
   * Returns the size in bytes of the arrays that the request was copied to, if it no longer uses
   * the array in which it was received.
   */
  default OptionalLong arraysHeld() {
    return OptionalLong.empty();
  }

  /** Computes ahead what later methods would compute from the whole body. */
  default void measure() {}

  /**
   * Returns the likely size of a paid reply in bytes; 0 if the reply is small or can be requested
   * again.
   */
  default long replyBytesLikely(Route route) {
    return 0;
  }

  /** Returns the client's name of a field that a provider's error message names. */
  default String paramOf(String upstreamParam) {
    return upstreamParam;
  }

  /** Returns the images that must be fetched before the request is sent to a provider. */
  default List<MediaUrl> remoteImages() {
    return List.of();
  }

  /** True if a provider can get those media inline instead of their URLs. */
  default boolean mayBeInlined() {
    return operation() == Operation.CHAT;
  }

  /** Returns the media URLs that a provider would fetch itself. */
  default List<MediaUrl> mediaUrls() {
    return List.of();
  }

  /** Returns the named capabilities that the request uses. */
  default Set<String> capabilitiesUsed() {
    return Set.of();
  }

  /**
   * Returns the JSON paths that a route's provider would not receive, and without which it cannot
   * serve the request.
   */
  default List<String> unservable(Route route) {
    return List.of();
  }

  /**
   * Returns the JSON paths that a route's provider would not receive because it has no such
   * parameter.
   */
  default List<String> unsupported(Route route, Model served) {
    return List.of();
  }

  /** Returns the refusal for paths that no provider can serve. */
  default Fault unservableFault(List<String> paths) {
    return Fault.invalid(unservableIssues(paths));
  }

  /** Returns what is wrong with paths that no provider can serve. */
  default List<Fault.Issue> unservableIssues(List<String> paths) {
    return DroppedFields.named(paths).stream()
        .map(path -> new Fault.Issue(path, "is not supported by the model's provider"))
        .toList();
  }

  /**
   * Returns the part of the prompt that stays the same while a conversation grows, up to a bound;
   * empty if unknown.
   */
  default String promptPrefix() {
    return "";
  }

  /** Returns the size of the prompt, for estimates of its tokens. */
  PromptSize prompt();

  /**
   * Returns the likely ratio of the prompt's text, from a sample of it; empty if it is unknown or
   * needs no estimate. The body must still be there.
   */
  default Optional<TextRatio> textRatio() {
    return Optional.empty();
  }

  /**
   * Returns the worst case of this request at a model: the amount that admission reserves
   * (docs/decisions/money.md#reservations).
   */
  MicroUsd estimate(Model served);

  /** Returns the bound of the output that its client may set; empty if it has none. */
  default Optional<OutputBound> outputBound() {
    return Optional.empty();
  }

  /**
   * Bound of a request's output in tokens.
   *
   * @param param the client's name of the bound
   */
  record OutputBound(String param, BoundedCost cost) {
    /** Worst case of the request at a model, if its output had another bound. */
    @FunctionalInterface
    public interface BoundedCost {
      MicroUsd at(Model served, long outputTokens);
    }
  }

  /**
   * Returns the tokens that the limit of tokens per minute sets aside: the likely prompt and the
   * longest output.
   */
  long tokensEstimated(Model served);

  /**
   * Returns the body for a route. The buffers wrap the request's array, which must outlive them.
   */
  List<ByteBuf> bodyFor(Route route);

  /** Returns the request as sent to a model, before the client has any content. */
  InferenceCall call(RequestId id, Model model);

  /** True if a slow stream may be hedged. */
  default boolean mayBeHedged() {
    return false;
  }

  /** True if a broken stream can be continued by another provider. */
  default boolean mayBeResumed() {
    return false;
  }

  /** True if a provider can be given the beginning of the answer. */
  default boolean mayBePrefilled(Route route, Model served) {
    return false;
  }
}
