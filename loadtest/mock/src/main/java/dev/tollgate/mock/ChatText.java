package dev.tollgate.mock;

import dev.tollgate.mock.MockRequest.Operation;
import dev.tollgate.mock.StreamEvent.Kind;
import dev.tollgate.mock.demo.DemoAnswer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds the JSON of the mock provider's healthy replies, plain or as events, in OpenAI's format.
 * Words, id and time derive from the seed only; the words of the demo model, from the request.
 */
final class ChatText {
  private final MockRequest request;
  private final SeededWords seeded;
  private final ReplyWords words;
  private final @Nullable DemoAnswer demo;
  private final String commonMembers;
  private final int tokens;
  private final boolean cutShort;
  private final AudioText audio;
  private final ImageText images;

  ChatText(MockRequest request, MockProfile profile) {
    this.request = request;
    this.seeded = new SeededWords(profile.seed());
    this.demo = request.demo();
    this.words = demo == null ? seeded : demo.tokens()::get;
    int requestedMax = isEmbedding() || isImage() ? 0 : request.tokensMax();
    int whole = demo == null ? profile.chunks() : demo.tokens().size();
    this.cutShort = requestedMax >= 0 && requestedMax < whole;
    this.tokens = cutShort ? requestedMax : whole;
    this.audio = new AudioText(request, words, tokens);
    this.images = new ImageText(request, profile.seed());
    this.commonMembers =
        "{\"id\":\"%s-%s\",\"object\":\"%s\",\"created\":%d,\"model\":\"%s\""
            .formatted(
                isChat() ? "chatcmpl" : "cmpl",
                seeded.hex(0),
                objectName(),
                1_700_000_000L + Math.floorMod(profile.seed(), 10_000_000L),
                request.model());
  }

  /** Returns the number of content events of the reply; each is one token. */
  int tokens() {
    return tokens;
  }

  /** True if the reply is streamed. */
  boolean isStreamed() {
    return switch (request.operation()) {
      case CHAT, COMPLETION, TRANSCRIPTION -> request.stream();
      case EMBEDDING, IMAGE -> false;
      case SPEECH -> true;
    };
  }

  /** True if the reply is streamed as raw audio instead of events. */
  boolean isRawAudio() {
    return request.operation() == Operation.SPEECH && !request.stream();
  }

  String contentType() {
    if (isStreamed() && !isRawAudio()) {
      return "text/event-stream; charset=utf-8";
    }
    return isAudio() ? audio.contentType() : "application/json";
  }

  private boolean isAudio() {
    return switch (request.operation()) {
      case CHAT, COMPLETION, EMBEDDING, IMAGE -> false;
      case SPEECH, TRANSCRIPTION -> true;
    };
  }

  /** Returns the events of a healthy stream. */
  List<StreamEvent> events() {
    if (isAudio()) {
      return audio.events();
    }
    List<StreamEvent> events = new ArrayList<>();
    if (isChat()) {
      events.add(new StreamEvent(Kind.ROLE, chunk(choice(roleDelta(), null)), 0));
    }
    for (int n = 0; n < tokens; n++) {
      events.add(new StreamEvent(Kind.CONTENT, chunk(content(n)), n + 1));
    }
    int closing = tokens + 1;
    events.add(new StreamEvent(Kind.FINISH, chunk(finish(finishReason())), closing));
    if (request.includeUsage()) {
      events.add(new StreamEvent(Kind.USAGE, usageChunk(usage()), closing));
    }
    events.add(new StreamEvent(Kind.DONE, "[DONE]", closing));
    return events;
  }

  /** Returns the body of a healthy plain reply. */
  String body() {
    return bodyWithUsage(usage());
  }

  /** Returns a plain body with this usage. */
  String bodyWithUsage(String usage) {
    if (isAudio()) {
      return audio.body(",\"usage\":" + usage);
    }
    if (isImage()) {
      return images.body(images.usageMember(usage));
    }
    return isEmbedding()
        ? vectors(",\"usage\":" + usage)
        : body(plainChoice(words.text(tokens)), usage);
  }

  /** Returns a plain body with this content. */
  String bodyWithContent(String content) {
    return body(plainChoice(content), usage());
  }

  private String body(String choice, String usage) {
    return commonMembers + ",\"choices\":[" + choice + "],\"usage\":" + usage + ending();
  }

  /** Returns a plain body without usage. */
  String bodyWithoutUsage() {
    if (isAudio()) {
      return audio.body("");
    }
    if (isImage()) {
      return images.body("");
    }
    return isEmbedding()
        ? vectors("")
        : commonMembers + ",\"choices\":[" + plainChoice(words.text(tokens)) + "]" + ending();
  }

  private String vectors(String furtherMembers) {
    String list = VectorText.list(request.vectors(), seeded);
    return "{\"object\":\"list\",\"data\":%s,\"model\":\"%s\"%s}"
        .formatted(list, request.model(), furtherMembers);
  }

  /** Returns a plain body without choices. */
  String bodyWithoutChoices() {
    return commonMembers + ",\"usage\":" + usage() + ending();
  }

  /** Returns a chunk with this choice, and {@code usage: null} if the request includes usage. */
  String chunk(String choice) {
    return chunk("[" + choice + "]", request.includeUsage() ? ",\"usage\":null" : "");
  }

  /** Returns a chunk with these choices and further members. */
  String chunk(String choices, String furtherMembers) {
    return commonMembers
        + ",\"system_fingerprint\":\"fp_mock\",\"choices\":"
        + choices
        + furtherMembers
        + "}";
  }

  /** Returns the separate chunk with the usage. */
  String usageChunk(String usage) {
    return chunk("[]", ",\"usage\":" + usage);
  }

  /** Returns the n-th content choice. */
  String content(int n) {
    if (request.calledTool() != null) {
      return choice(argumentsDelta(n), null);
    }
    return isChat()
        ? choice("{\"content\":\"" + words.word(n) + "\"}", null)
        : completionChoice(words.word(n), "null");
  }

  /** Returns a choice that ends the stream with this finish reason. */
  String finish(String reason) {
    return isChat() ? choice("{}", reason) : completionChoice("", "\"" + reason + "\"");
  }

  String finishReason() {
    if (cutShort) {
      return "length";
    }
    return request.calledTool() == null ? "stop" : "tool_calls";
  }

  /** Returns the usage of the whole reply. */
  String usage() {
    if (isAudio()) {
      return audio.usage();
    }
    if (isImage()) {
      return images.usage();
    }
    return isEmbedding() ? usageOfInput() : usage(request.promptTokens(), tokens);
  }

  private String usageOfInput() {
    return "{\"prompt_tokens\":%d,\"total_tokens\":%d}".formatted(promptTokens(), promptTokens());
  }

  static String usage(int promptTokens, int completionTokens) {
    return "{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"total_tokens\":%d}"
        .formatted(promptTokens, completionTokens, promptTokens + completionTokens);
  }

  int promptTokens() {
    return request.promptTokens();
  }

  /** Returns a choice of a streamed chat completion. */
  static String choice(String delta, @Nullable String finishReason) {
    return "{\"index\":0,\"delta\":%s,\"logprobs\":null,\"finish_reason\":%s}"
        .formatted(delta, finishReason == null ? "null" : "\"" + finishReason + "\"");
  }

  private static String completionChoice(String text, String finishReason) {
    return "{\"text\":\"%s\",\"index\":0,\"logprobs\":null,\"finish_reason\":%s}"
        .formatted(text, finishReason);
  }

  private String roleDelta() {
    return request.calledTool() == null
        ? "{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null}"
        : "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
            + toolCall(",\"index\":0", "")
            + "]}";
  }

  private String argumentsDelta(int n) {
    return "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"" + argument(n) + "\"}}]}";
  }

  /** Returns the n-th fragment of the arguments, escaped for a JSON string. */
  private String argument(int n) {
    if (demo != null) {
      return words.word(n);
    }
    String start = n == 0 ? "{\\\"query\\\":\\\"" : "";
    String end = n == tokens - 1 && !cutShort ? "\\\"}" : "";
    return start + (n == 0 ? "" : " ") + seeded.hex(n + 2).substring(0, 6) + end;
  }

  private String toolCall(String index, String arguments) {
    return "{\"id\":\"call_%s\"%s,\"type\":\"function\",\"function\":{\"name\":\"%s\",\"arguments\":\"%s\"}}"
        .formatted(seeded.hex(1), index, request.calledTool(), arguments);
  }

  private String plainChoice(String content) {
    if (!isChat()) {
      return completionChoice(content, "\"" + finishReason() + "\"");
    }
    String message =
        request.calledTool() == null
            ? "\"content\":\"" + content + "\""
            : "\"content\":null,\"tool_calls\":[" + toolCall("", arguments()) + "]";
    return "{\"index\":0,\"message\":{\"role\":\"assistant\",%s,\"refusal\":null},\"logprobs\":null,\"finish_reason\":\"%s\"}"
        .formatted(message, finishReason());
  }

  private String arguments() {
    StringBuilder arguments = new StringBuilder();
    for (int n = 0; n < tokens; n++) {
      arguments.append(argument(n));
    }
    return arguments.toString();
  }

  private static String ending() {
    return ",\"system_fingerprint\":\"fp_mock\"}";
  }

  private boolean isChat() {
    return request.operation() == Operation.CHAT;
  }

  private boolean isImage() {
    return request.operation() == Operation.IMAGE;
  }

  private boolean isEmbedding() {
    return request.operation() == Operation.EMBEDDING;
  }

  private String objectName() {
    if (!isChat()) {
      return "text_completion";
    }
    return request.stream() ? "chat.completion.chunk" : "chat.completion";
  }
}
