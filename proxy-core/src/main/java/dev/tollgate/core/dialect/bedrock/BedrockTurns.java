package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.dialect.CallArguments;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.LazyArray;
import dev.tollgate.core.dialect.SystemOnlyPrompt;
import dev.tollgate.core.dialect.anthropic.AnthropicReasoning;
import dev.tollgate.core.dialect.bedrock.BedrockCachePoints.CacheMark;
import dev.tollgate.core.dialect.message.PrefillText;
import dev.tollgate.core.dialect.tool.CallIds;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Writes a chat conversation in Converse's form: system text apart, then alternating turns of user
 * and assistant. Tool results belong to the user. An instance is used once.
 */
final class BedrockTurns {
  private static final String USER = "user";
  private static final String ASSISTANT = "assistant";

  private static final int CALL_ID_CHARS_MAX = 64;

  private final JsonElements messages;
  private final PrefillText prefill;
  private final BooleanSupplier takesPrefill;
  private final BedrockFamily family;
  private final BedrockCachePoints cache;
  private final DroppedFields dropped;
  private final BedrockContent content;
  private final CallIds callIds = new CallIds(CALL_ID_CHARS_MAX);
  private final int promotedIndex;
  private String openRole = "";

  BedrockTurns(
      JsonMembers chat,
      BedrockFamily family,
      BooleanSupplier takesPrefill,
      BedrockCachePoints cache,
      DroppedFields dropped) {
    this.messages = chat.array(chat.indexOf("messages"));
    this.family = family;
    this.cache = cache;
    this.dropped = dropped;
    this.prefill = PrefillText.of(messages);
    this.takesPrefill = takesPrefill;
    this.content = new BedrockContent(prefill, cache, dropped);
    this.promotedIndex = SystemOnlyPrompt.promotedIndex(messages);
  }

  void writeTo(JsonWriter out) {
    var system = new LazyArray("system", out);
    for (int k = 0; k < messages.size(); k++) {
      JsonMembers message = messages.object(k);
      if (SystemOnlyPrompt.isSystem(message) && k != promotedIndex) {
        content.writeText(message, path(k), system);
      }
    }
    system.end();
    content.beginTurns();
    out.name("messages").beginArray();
    for (int k = 0; k < messages.size(); k++) {
      message(k, messages.object(k), out);
    }
    if (openRole.isEmpty() || (openRole.equals(ASSISTANT) && !endsWithAssistant())) {
      placeholder(out); // an empty conversation is refused, and an assistant's turn is continued
    }
    continuation(out);
    close(out);
    out.endArray();
  }

  /** Asks for the rest of an answer that the model refuses to continue by itself. */
  private void continuation(JsonWriter out) {
    if (openRole.equals(ASSISTANT) && prefill.at() >= 0 && !takesPrefill.getAsBoolean()) {
      text(PrefillText.CONTINUATION, turn(USER, out));
      dropped.add(path(messages.size() - 1));
    }
  }

  /** True if the assistant has the last word: a text to be continued, or a call. */
  private boolean endsWithAssistant() {
    JsonMembers last = messages.object(messages.size() - 1);
    return JsonReads.isString(last, "role", ASSISTANT)
        && (prefill.at() >= 0 || JsonReads.array(last, "tool_calls").size() > 0);
  }

  private static Param path(int k) {
    return Param.of("messages").at(k);
  }

  private void message(int k, JsonMembers message, JsonWriter out) {
    switch (message.string(message.indexOf("role"))) {
      case "system", "developer" -> {
        if (k == promotedIndex) {
          content.write(message, path(k), () -> turn(USER, out));
        }
      }
      case "assistant" -> assistant(k, message, () -> turn(ASSISTANT, out));
      case "tool" -> {
        int id = JsonReads.findText(message, "tool_call_id");
        String callId = id < 0 ? "" : callIds.ofResult(message.string(id));
        content.writeResult(message, callId, family.partsOfResults(), path(k), turn(USER, out));
      }
      default -> content.write(message, path(k), () -> turn(USER, out)); // user, function
    }
  }

  /** Opens the turn of a role with its first block: an empty turn would be refused. */
  private JsonWriter turn(String role, JsonWriter out) {
    if (openRole.isEmpty() && role.equals(ASSISTANT)) { // the first turn must be the user's
      placeholder(out);
    }
    if (!openRole.equals(role)) {
      close(out);
      openRole = role;
      out.beginObject().name("role").string(role).name("content").beginArray();
    }
    return out;
  }

  private void placeholder(JsonWriter out) {
    text(BedrockContent.PLACEHOLDER_TEXT, turn(USER, out));
  }

  private static void text(String text, JsonWriter out) {
    out.beginObject().name("text").string(text).endObject();
  }

  private void close(JsonWriter out) {
    if (!openRole.isEmpty()) {
      content.endTurn(out);
      out.endArray().endObject();
      openRole = "";
    }
  }

  private void assistant(int k, JsonMembers message, Supplier<JsonWriter> place) {
    reasoning(message, place);
    content.write(message, path(k), place);
    calls(path(k).dot("tool_calls"), JsonReads.array(message, "tool_calls"), place);
    if (JsonReads.find(message, "function_call") >= 0) {
      dropped.add(path(k).dot("function_call"));
    }
  }

  /**
   * Writes reasoning with signatures, which is Claude's; Claude requires it back within tool use.
   */
  private void reasoning(JsonMembers message, Supplier<JsonWriter> place) {
    if (family.takesClaudesReasoning()) {
      AnthropicReasoning.read(message, new ReasoningWriter(place));
    }
  }

  private final class ReasoningWriter implements AnthropicReasoning.ReasoningReader {
    private final Supplier<JsonWriter> place;

    ReasoningWriter(Supplier<JsonWriter> place) {
      this.place = place;
    }

    @Override
    public void signed(CharSequence text, JsonBytes signature) {
      JsonWriter out = place.get().beginObject().name("reasoningContent").beginObject();
      out.name("reasoningText").beginObject().name("text").string(text);
      out.name("signature").raw(signature).endObject().endObject().endObject();
    }

    @Override
    public void hidden(JsonItems from, int i) {
      JsonWriter out = place.get().beginObject().name("reasoningContent").beginObject();
      out.name("redactedContent").string(BedrockRedactedReasoning.redacted(from.string(i), family));
      out.endObject().endObject();
    }
  }

  private void calls(Param path, JsonElements calls, Supplier<JsonWriter> place) {
    for (int k = 0; k < calls.size(); k++) {
      JsonMembers call = JsonReads.object(calls, k);
      if (!call(call, JsonReads.object(call, "function"), path.at(k), place)) {
        dropped.add(path.at(k));
      }
    }
  }

  private boolean call(
      JsonMembers call, JsonMembers function, Param path, Supplier<JsonWriter> place) {
    int name = JsonReads.findText(function, "name");
    int id = JsonReads.findText(call, "id");
    if (name < 0 || id < 0) {
      return false;
    }
    JsonWriter out = place.get().beginObject().name("toolUse").beginObject();
    out.name("toolUseId").string(callIds.ofCall(call.string(id)));
    out.name("name").raw(JsonBytes.of(function, name)).name("input");
    CallArguments.write(function, out);
    cache.write(CacheMark.of(call, path), out.endObject().endObject());
    return true;
  }
}
