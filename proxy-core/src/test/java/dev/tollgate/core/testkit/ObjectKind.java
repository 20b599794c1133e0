package dev.tollgate.core.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.Optional;

/** Kind of an object that the API answers, with the schema that OpenAI's document has for it. */
public enum ObjectKind {
  CHAT("CreateChatCompletionResponse"),
  CHUNK("CreateChatCompletionStreamResponse"),
  COMPLETION("CreateCompletionResponse"),
  EMBEDDINGS("CreateEmbeddingResponse"),
  SPEECH_EVENT("CreateSpeechResponseStreamEvent"),
  TRANSCRIPT("CreateTranscriptionResponseJson"),
  VERBOSE_TRANSCRIPT("CreateTranscriptionResponseVerboseJson"),
  DIARIZED_TRANSCRIPT("CreateTranscriptionResponseDiarizedJson"),
  TRANSCRIPT_EVENT("CreateTranscriptionResponseStreamEvent"),
  IMAGES("ImagesResponse"),
  RESPONSE("Response"),
  RESPONSE_EVENT("ResponseStreamEvent"),
  MODELS("ListModelsResponse"),
  MODEL("Model"),
  ERROR("ErrorResponse");

  private final String schema;

  ObjectKind(String schema) {
    this.schema = schema;
  }

  String schema() {
    return schema;
  }

  /** Returns the kind of a whole reply, if OpenAI has its endpoint. */
  public static Optional<ObjectKind> reply(String path, JsonNode object) {
    if (object.path("error").isObject() && !object.has("object")) {
      return Optional.of(ERROR);
    }
    return switch (path) {
      case "/v1/chat/completions" -> Optional.of(CHAT);
      case "/v1/completions" -> Optional.of(COMPLETION);
      case "/v1/embeddings" -> Optional.of(EMBEDDINGS);
      case "/v1/audio/transcriptions" -> Optional.of(transcript(object));
      case "/v1/images/generations", "/v1/images/edits" -> Optional.of(IMAGES);
      case "/v1/responses" -> Optional.of(RESPONSE);
      case "/v1/models" -> Optional.of(MODELS);
      default -> path.startsWith("/v1/models/") ? Optional.of(MODEL) : Optional.empty();
    };
  }

  private static ObjectKind transcript(JsonNode object) {
    JsonNode segments = object.path("segments");
    if (segments.path(0).has("speaker")) {
      return DIARIZED_TRANSCRIPT;
    }
    boolean isVerbose = object.has("duration") || segments.has(0) || object.has("words");
    return isVerbose ? VERBOSE_TRANSCRIPT : TRANSCRIPT;
  }

  /** Returns the kind of a stream's event, if OpenAI has its endpoint. */
  public static Optional<ObjectKind> event(String path, JsonNode object) {
    if (path.equals("/v1/responses")) {
      return Optional.of(RESPONSE_EVENT);
    }
    if (object.path("error").isObject()) {
      return Optional.of(ERROR);
    }
    return switch (path) {
      case "/v1/chat/completions" -> Optional.of(CHUNK);
      case "/v1/completions" -> Optional.of(COMPLETION);
      case "/v1/audio/speech" -> Optional.of(SPEECH_EVENT);
      case "/v1/audio/transcriptions" -> Optional.of(TRANSCRIPT_EVENT);
      default -> Optional.empty();
    };
  }

  /** Returns the kind as the list of deviations names it: of events, their type. */
  String of(JsonNode object) {
    return switch (this) {
      case RESPONSE_EVENT, SPEECH_EVENT, TRANSCRIPT_EVENT -> eventType(object);
      case CHAT,
          CHUNK,
          COMPLETION,
          EMBEDDINGS,
          TRANSCRIPT,
          VERBOSE_TRANSCRIPT,
          DIARIZED_TRANSCRIPT,
          IMAGES,
          RESPONSE,
          MODELS,
          MODEL,
          ERROR ->
          name().toLowerCase(Locale.ROOT).replace('_', ' ');
    };
  }

  private static String eventType(JsonNode event) {
    String type = event.path("type").asText();
    return type.equals("error") ? "error event" : type;
  }
}
