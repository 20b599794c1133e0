package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.dialect.CallArguments;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.LazyArray;
import dev.tollgate.core.dialect.SystemOnlyPrompt;
import dev.tollgate.core.dialect.message.PrefillText;
import dev.tollgate.core.dialect.tool.CallIds;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Writes a chat conversation in Anthropic's form: system text apart, then alternating turns of user
 * and assistant. Tool results belong to the user; adjacent messages of one role are one turn. An
 * instance is used once.
 */
final class AnthropicTurns {
  private static final String USER = "user";
  private static final String ASSISTANT = "assistant";

  /**
   * User text before an assistant message that comes first, and in place of user messages that say
   * nothing: Anthropic would refuse the one, and continue the answer before the other.
   */
  private static final String PLACEHOLDER_TEXT = "...";

  private final JsonElements messages;
  private final PrefillText prefill;
  private final BooleanSupplier takesPrefill;
  private final DroppedFields dropped;
  private final AnthropicContent content;
  private final CallIds callIds = new CallIds(Integer.MAX_VALUE);
  private final int promotedIndex;
  private String openRole = "";

  AnthropicTurns(JsonMembers chat, BooleanSupplier takesPrefill, DroppedFields dropped) {
    this.messages = chat.array(chat.indexOf("messages"));
    this.dropped = dropped;
    this.prefill = PrefillText.of(messages);
    this.takesPrefill = takesPrefill;
    this.content = new AnthropicContent(prefill, dropped);
    this.promotedIndex = SystemOnlyPrompt.promotedIndex(messages);
  }

  void writeTo(JsonWriter out) {
    system(out);
    out.name("messages").beginArray();
    for (int k = 0; k < messages.size(); k++) {
      message(k, messages.object(k), out);
    }
    if (openRole.isEmpty() || (openRole.equals(ASSISTANT) && !endsWithAssistant())) {
      placeholder(out);
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

  /** Writes all system messages, wherever they are. */
  private void system(JsonWriter out) {
    var blocks = new LazyArray("system", out);
    for (int k = 0; k < messages.size(); k++) {
      JsonMembers message = messages.object(k);
      if (SystemOnlyPrompt.isSystem(message) && k != promotedIndex) {
        content.writeText(message, path(k), blocks);
      }
    }
    blocks.end();
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
      case "assistant" -> assistant(k, message, out);
      case "tool" -> result(k, message, turn(USER, out));
      default -> content.write(message, path(k), () -> turn(USER, out)); // user, function
    }
  }

  /** Opens the turn of a role with its first block: an empty turn would be refused. */
  private JsonWriter turn(String role, JsonWriter out) {
    if (openRole.isEmpty() && role.equals(ASSISTANT)) {
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
    text(PLACEHOLDER_TEXT, turn(USER, out));
  }

  private static void text(String text, JsonWriter out) {
    out.beginObject().name("type").string("text").name("text").string(text).endObject();
  }

  private void close(JsonWriter out) {
    if (!openRole.isEmpty()) {
      out.endArray().endObject();
      openRole = "";
    }
  }

  private void assistant(int k, JsonMembers message, JsonWriter out) {
    Supplier<JsonWriter> place = () -> turn(ASSISTANT, out);
    AnthropicReasoning.write(message, place);
    content.write(message, path(k), place);
    calls(path(k).dot("tool_calls"), JsonReads.array(message, "tool_calls"), place);
    if (JsonReads.find(message, "function_call") >= 0) {
      dropped.add(path(k).dot("function_call"));
    }
  }

  private void calls(Param path, JsonElements calls, Supplier<JsonWriter> place) {
    for (int k = 0; k < calls.size(); k++) {
      JsonMembers call = JsonReads.object(calls, k);
      if (!call(call, JsonReads.object(call, "function"), place)) {
        dropped.add(path.at(k));
      }
    }
  }

  private boolean call(JsonMembers call, JsonMembers function, Supplier<JsonWriter> place) {
    int name = JsonReads.findText(function, "name");
    int id = JsonReads.findText(call, "id");
    if (name < 0 || id < 0) {
      return false;
    }
    JsonWriter out = place.get().beginObject().name("type").string("tool_use");
    out.name("id").string(callIds.ofCall(call.string(id)));
    out.name("name").raw(JsonBytes.of(function, name));
    out.name("input");
    CallArguments.write(function, out);
    CacheControl.write(call, out);
    out.endObject();
    return true;
  }

  private void result(int k, JsonMembers message, JsonWriter out) {
    int id = JsonReads.findText(message, "tool_call_id");
    out.beginObject().name("type").string("tool_result");
    out.name("tool_use_id").string(id < 0 ? "" : callIds.ofResult(message.string(id)));
    var blocks = new LazyArray("content", out);
    content.write(message, path(k), blocks);
    blocks.end();
    if (JsonReads.find(message, "is_error", JsonKind.TRUE) >= 0) {
      out.name("is_error").bool(true);
    }
    out.endObject();
  }
}
