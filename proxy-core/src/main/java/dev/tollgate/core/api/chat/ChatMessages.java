package dev.tollgate.core.api.chat;

import static java.util.Comparator.comparingInt;

import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.MemberNames;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.api.TokenEstimate;
import dev.tollgate.core.dialect.MediaOfResults;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import dev.tollgate.core.prompt.FileTokens;
import dev.tollgate.core.prompt.PromptMedia;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Validator of a chat request's messages, which also counts the images, files and bytes that token
 * estimates need.
 */
final class ChatMessages {
  private static final Set<String> ROLES =
      Set.of("system", "developer", "user", "assistant", "tool", "function");
  private static final MemberNames OF_MESSAGE =
      MemberNames.of(
          "role",
          "content",
          "name",
          "tool_calls",
          "tool_call_id",
          "function_call",
          "refusal",
          "audio",
          "reasoning_content",
          "reasoning_details",
          "thinking_blocks");

  /** Members of a message that are judged on their own, or name nothing to open. */
  private static final MemberNames NOT_OPENED = OF_MESSAGE.without("audio");

  private static final MemberNames OF_PART =
      MemberNames.of("type", "text", "refusal", "image_url", "input_audio", "file", "source");
  private static final MemberNames OF_CALL =
      MemberNames.of("id", "type", "index", "function", "custom");
  private static final MemberNames OF_CALLED = MemberNames.of("name", "arguments", "input");
  private static final List<String> CALLED = List.of("function", "custom");

  /** Members of a message whose URLs are only mentioned, or are those of an earlier answer. */
  private static final Set<String> MENTIONS =
      Set.of(
          "id",
          "context",
          "citations",
          "annotations",
          "search_results",
          "reasoning",
          "thinking",
          "provider_specific_fields");

  /** Members of a chat that hold text, rules or marks. */
  private static final Set<String> TEXTS =
      Set.of(
          "metadata",
          "documents",
          "extra_headers",
          "prompt_cache_key",
          "safety_identifier",
          "chat_template",
          "guided_json",
          "guided_regex",
          "guided_grammar",
          "guided_choice",
          "structured_outputs",
          "json_schema",
          "grammar");

  /** Types of parts whose medium may be in the body, and the member that holds it. */
  private static final Map<String, String> MEDIA =
      Map.of("image_url", "url", "input_audio", "data", "file", "file_data");

  private static final Param PARAM = Param.of("messages");

  private final Issues issues;
  private long bytesNotText;
  private int partsNotText;
  private int images;
  private long imageTokensLikely;
  private long audioTokensLikely;
  private long fileTokensLikely;
  private long sizedTokensAtMost;
  private boolean audio;
  private boolean lastIsAssistant;
  private boolean inResult;
  private boolean mediaInResults;
  private boolean unsized;
  private boolean calls;
  private @Nullable MediaStrings urls;
  private final JsonElements callList = new JsonElements();
  private final JsonMembers call = new JsonMembers();
  private final JsonMembers called = new JsonMembers();

  ChatMessages(Issues issues) {
    this.issues = issues;
  }

  /**
   * Returns the bytes of images, audio and files inside the messages, which are not tokens of text.
   */
  long bytesNotText() {
    return bytesNotText;
  }

  /** Returns the parts of the prompt that are not text. */
  PromptMedia media() {
    return new PromptMedia(
        partsNotText,
        images,
        imageTokensLikely,
        audioTokensLikely,
        fileTokensLikely,
        sizedTokensAtMost,
        unsized);
  }

  /** Returns the media URLs in the messages, in their order. */
  List<MediaString> urls() {
    return urls == null
        ? List.of()
        : urls.found().stream().sorted(comparingInt(MediaString::from)).toList();
  }

  /** True if the messages contain audio, or a file that may be audio. */
  boolean hasAudio() {
    return audio;
  }

  boolean hasImages() {
    return images > 0;
  }

  /** True if messages call tools, or are results of them. */
  boolean haveCalls() {
    return calls;
  }

  /** True if results of tools contain media. */
  boolean hasMediaInResults() {
    return mediaInResults;
  }

  /**
   * True if the client itself ends the messages with an assistant message, to which no second one
   * can be added.
   */
  boolean endWithAssistant() {
    return lastIsAssistant;
  }

  /** Collects the URLs in the members of a chat that are passed on unread. */
  void checkUnread(JsonMembers root, MemberNames read) {
    collector().addUnread(root, null, read, TEXTS);
  }

  void check(JsonMembers root, int i) {
    if (root.kind(i) != JsonKind.ARRAY) {
      issues.add(PARAM, "must be an array");
      return;
    }
    JsonElements messages = root.array(i);
    if (issues.addIfCut(messages, PARAM)) {
      return;
    }
    if (messages.size() == 0) {
      issues.add(PARAM, "must not be empty");
    }
    JsonMembers message = new JsonMembers();
    for (int k = 0; k < messages.size() && !issues.isFull(); k++) {
      if (messages.kind(k) == JsonKind.OBJECT) {
        message.readInside(messages, k);
        message(message, PARAM.at(k));
      } else {
        issues.add(PARAM.at(k), "must be an object");
      }
    }
  }

  private void message(JsonMembers message, Param param) {
    if (issues.addIfCut(message, param)) {
      return;
    }
    boolean hasUnread = OF_MESSAGE.check(message, param, issues);
    int role = message.indexOf("role");
    if (role < 0 || message.kind(role) != JsonKind.STRING) {
      issues.add(param.dot("role"), "must be a string");
      return;
    }
    String name = message.string(role);
    if (!ROLES.contains(name)) {
      issues.add(param.dot("role"), "must be system, developer, user, assistant or tool");
      return;
    }
    lastIsAssistant = name.equals("assistant");
    inResult = name.equals("tool");
    boolean hasAudio = message.indexOf("audio") >= 0;
    audio |= hasAudio;
    calls |=
        lastIsAssistant
            ? message.indexOf("tool_calls") >= 0 || message.indexOf("function_call") >= 0
            : inResult || name.equals("function");
    content(message, name, param.dot("content"));
    int made = message.indexOf("tool_calls");
    if (made >= 0 && message.kind(made) == JsonKind.ARRAY) {
      calls(message, made, param.dot("tool_calls"));
    }
    if (hasUnread || hasAudio) {
      collector().addUnread(message, param, NOT_OPENED, MENTIONS);
    }
  }

  private void calls(JsonMembers message, int made, Param param) {
    callList.readInside(message, made);
    if (issues.addIfCut(callList, param)) {
      return;
    }
    for (int k = 0; k < callList.size() && !issues.isFull(); k++) {
      if (callList.kind(k) == JsonKind.OBJECT) {
        call.readInside(callList, k);
        call(param.at(k));
      }
    }
  }

  private void call(Param param) {
    var _ = OF_CALL.check(call, param, issues);
    for (String kind : CALLED) {
      int i = call.indexOf(kind);
      if (i >= 0 && call.kind(i) == JsonKind.OBJECT) {
        called.readInside(call, i);
        var _ = OF_CALLED.check(called, param.dot(kind), issues);
      }
    }
  }

  private void content(JsonMembers message, String role, Param param) {
    int content = message.indexOf("content");
    boolean mayBeMissing = role.equals("assistant") || role.equals("function");
    if (content < 0 || message.kind(content) == JsonKind.NULL) {
      if (!mayBeMissing) {
        issues.add(param, "is required");
      }
      return;
    }
    switch (message.kind(content)) {
      case STRING -> {}
      case ARRAY -> parts(message, content, param);
      case NUMBER, TRUE, FALSE, NULL, OBJECT ->
          issues.add(param, "must be a string or an array of parts");
    }
  }

  private void parts(JsonItems message, int content, Param param) {
    JsonElements parts = message.array(content);
    if (issues.addIfCut(parts, param)) {
      return;
    }
    for (int k = 0; k < parts.size() && !issues.isFull(); k++) {
      if (parts.kind(k) == JsonKind.OBJECT) {
        part(parts.object(k), param.at(k));
      } else {
        issues.add(param.at(k), "must be an object");
      }
    }
  }

  private void part(JsonMembers part, Param param) {
    if (issues.addIfCut(part, param)) {
      return;
    }
    var _ = OF_PART.check(part, param, issues);
    int type = part.indexOf("type");
    if (type < 0 || part.kind(type) != JsonKind.STRING) {
      issues.add(param.dot("type"), "must be a string");
    } else if (!part.isString(type, "text") && !part.isString(type, "refusal")) {
      media(part, type);
      collector().add(part, param);
    } else if (part.size() > 2 || part.indexOf("text") < 0) {
      collector().add(part, param);
    }
  }

  private MediaStrings collector() {
    MediaStrings some = urls == null ? new MediaStrings(issues) : urls;
    urls = some;
    return some;
  }

  private void media(JsonMembers part, int type) {
    String name = part.string(type);
    mediaInResults |= inResult && MediaOfResults.isMoved(name);
    int sizeBytes = mediumBytes(part, name);
    bytesNotText += sizeBytes;
    partsNotText++;
    boolean image = part.isString(type, "image_url");
    if (image) {
      images++;
      imageTokensLikely += PromptMedia.imageTokens(sizeBytes);
    } else if (part.isString(type, "input_audio")) {
      audioTokensLikely += PromptMedia.audioTokens(sizeBytes);
      sizedTokensAtMost += TokenEstimate.audioAtMost(sizeBytes);
    } else if (part.isString(type, "file") && sizeBytes > 0) {
      fileTokensLikely += fileTokens(part.object(part.indexOf("file")));
      sizedTokensAtMost += TokenEstimate.fileAtMost(sizeBytes);
    } else {
      fileTokensLikely += PromptMedia.UNSIZED_FILE_TOKENS;
      unsized = true;
    }
    // The content of a file is unknown until the provider opens it.
    audio |= !image;
  }

  private static long fileTokens(JsonMembers file) {
    int i = file.indexOf("file_data");
    return FileTokens.likely(file.bytes(), file.valueStart(i) + 1, file.valueEnd(i) - 1);
  }

  /** Returns the bytes of the medium itself in a part; everything beside it may be text. */
  private static int mediumBytes(JsonMembers part, String type) {
    String member = MEDIA.get(type);
    int i = member == null ? -1 : part.indexOf(type);
    if (member == null || i < 0) {
      return 0;
    }
    return switch (part.kind(i)) {
      case STRING -> type.equals("image_url") ? part.valueEnd(i) - part.valueStart(i) : 0;
      case OBJECT -> (int) RequestRoot.bytesOf(part.object(i), member);
      case NUMBER, TRUE, FALSE, NULL, ARRAY -> 0;
    };
  }
}
