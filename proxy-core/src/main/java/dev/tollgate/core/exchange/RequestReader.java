package dev.tollgate.core.exchange;

import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.chat.ChatRequest;
import dev.tollgate.core.api.completion.CompletionRequest;
import dev.tollgate.core.api.embedding.EmbeddingRequest;
import dev.tollgate.core.api.image.ImageRequest;
import dev.tollgate.core.api.image.ImageUrls;
import dev.tollgate.core.api.responses.ResponseEventSet;
import dev.tollgate.core.api.responses.ResponsesRequest;
import dev.tollgate.core.api.speech.SpeechRequest;
import dev.tollgate.core.api.speech.TranscriptionRequest;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.exchange.frame.BodyWork;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.ModelScope;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.routing.Router;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Reader of an inference request's body, up to its routing: parses it, checks the models that it
 * names, and collects what routing needs from the body. It has no side effect, and runs on the loop
 * or, for a large body, on another thread.
 *
 * @param events the events of a Responses stream
 */
record RequestReader(ExchangeRequest request, ImageUrls urls, ResponseEventSet events) {

  /** A body that was read: refused, or ready for its routing. */
  sealed interface ReadResult {
    record Refused(Fault fault) implements ReadResult {}

    /**
     * A valid request, with what routing needs from its body.
     *
     * @param models the requested model and its fallbacks
     * @param needs named capabilities that a model must have
     * @param affinity hash for sticky routing
     */
    record Valid(
        InferenceRequest inference,
        List<Model> models,
        Set<String> needs,
        CapabilityCheck capabilities,
        OptionalLong affinity)
        implements ReadResult {}
  }

  ReadResult read() {
    return switch (parse()) {
      case ParseResult.Refused<? extends InferenceRequest> refused ->
          new ReadResult.Refused(refused.fault());
      case ParseResult.Valid<? extends InferenceRequest> valid -> checked(valid.request());
    };
  }

  private ParseResult<? extends InferenceRequest> parse() {
    byte[] bytes = request.body().bytes();
    int length = request.body().length();
    return switch (request.endpoint()) {
      case CHAT_COMPLETIONS -> ChatRequest.parse(bytes, length);
      case COMPLETIONS -> CompletionRequest.parse(bytes, length);
      case RESPONSES -> ResponsesRequest.parse(bytes, length, events);
      case EMBEDDINGS -> EmbeddingRequest.parse(bytes, length);
      case SPEECH -> SpeechRequest.parse(bytes, length);
      case TRANSCRIPTIONS -> TranscriptionRequest.parse(bytes, length, request.argument());
      case IMAGE_GENERATIONS -> ImageRequest.parse(bytes, length, urls);
      case IMAGE_EDITS -> ImageRequest.parseEdit(bytes, length, request.argument(), urls);
      case VIDEO_GENERATIONS,
          MUSIC_GENERATIONS,
          VIDEO_JOB,
          MUSIC_JOB,
          JOB,
          VIDEO_JOB_DELETION,
          MUSIC_JOB_DELETION,
          MODELS,
          MODEL,
          KEY,
          CREDITS,
          ARTIFACT ->
          throw new IllegalStateException("no inference: " + request.endpoint());
    };
  }

  private ReadResult checked(InferenceRequest inference) {
    List<Model> models = new ArrayList<>(1);
    Fault fault = ModelScope.add(inference.target(), inference.modality(), request, models);
    return fault == null ? valid(inference, models) : new ReadResult.Refused(fault);
  }

  private ReadResult valid(InferenceRequest inference, List<Model> models) {
    boolean large = BodyWork.isLarge(request.body().length());
    if (large) {
      inference.measure();
    }
    return new ReadResult.Valid(
        inference,
        models,
        inference.routing().requireParameters() ? inference.capabilitiesUsed() : Set.of(),
        large
            ? CapabilityCheck.ahead(inference, models)
            : CapabilityCheck.onDemand(inference, models),
        affinity(inference, models.getFirst()));
  }

  /** Returns the hash for sticky routing: of the session or prompt prefix, per organization. */
  private OptionalLong affinity(InferenceRequest inference, Model model) {
    String session = inference.routing().sessionId();
    if (session == null && !model.stickyPrefix()) {
      return OptionalLong.empty();
    }
    String common = session == null ? inference.promptPrefix() : session;
    return Router.affinity(request.key().org().id() + " " + common);
  }
}
