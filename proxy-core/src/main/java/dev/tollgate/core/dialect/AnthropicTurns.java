package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.json.Param;
import java.util.function.Supplier;

/**
 * A conversation as Anthropic takes it: what the system says on its own, then turns of user and
 * assistant, one after the other. Results of tools are the user's; neighbours of one role are one
 * turn. One use.
 */
final class AnthropicTurns {
  private static final String USER = "user";
  private static final String ASSISTANT = "assistant";

  /** What the user says ahead of an assistant that speaks first, which would be refused. */
  private static final String SILENCE = "...";

  private final JsonElements messages;
  private final Dropped dropped;
  private final AnthropicContent content;
  private final int asked;
  private String open = "";

  AnthropicTurns(JsonMembers chat, Dropped dropped) {
    this.messages = chat.array(chat.indexOf("messages"));
    this.dropped = dropped;
    this.content = new AnthropicContent(dropped);
    this.asked = OnlySystem.last(messages);
  }

  void writeTo(JsonOut out) {
    system(out);
    out.name("messages").beginArray();
    for (int k = 0; k < messages.size(); k++) {
      message(k, messages.object(k), out);
    }
    close(out);
    out.endArray();
  }

  /** All that the system says, wherever it says it. */
  private void system(JsonOut out) {
    var blocks = new LazyArray("system", out);
    for (int k = 0; k < messages.size(); k++) {
      JsonMembers message = messages.object(k);
      if (OnlySystem.is(message) && k != asked) {
        content.writeText(message, path(k), blocks);
      }
    }
    blocks.end();
  }

  private static Param path(int k) {
    return Param.of("messages").at(k);
  }

  private void message(int k, JsonMembers message, JsonOut out) {
    switch (message.string(message.indexOf("role"))) {
      case "system", "developer" -> {
        if (k == asked) {
          content.write(message, path(k), () -> turn(USER, out));
        }
      }
      case "assistant" -> assistant(k, message, out);
      case "tool" -> result(k, message, turn(USER, out));
      default -> content.write(message, path(k), () -> turn(USER, out)); // user, function
    }
  }

  /** The turn of a role, which is begun with its first block: an empty one would be refused. */
  private JsonOut turn(String role, JsonOut out) {
    if (open.isEmpty() && role.equals(ASSISTANT)) {
      turn(USER, out)
          .beginObject()
          .name("type")
          .string("text")
          .name("text")
          .string(SILENCE)
          .endObject();
    }
    if (!open.equals(role)) {
      close(out);
      open = role;
      out.beginObject().name("role").string(role).name("content").beginArray();
    }
    return out;
  }

  private void close(JsonOut out) {
    if (!open.isEmpty()) {
      out.endArray().endObject();
      open = "";
    }
  }

  private void assistant(int k, JsonMembers message, JsonOut out) {
    Supplier<JsonOut> place = () -> turn(ASSISTANT, out);
    AnthropicThoughts.write(message, place);
    if (!writeBegun(k, message, place)) {
      content.write(message, path(k), place);
    }
    int calls = Given.at(message, "tool_calls", JsonKind.ARRAY);
    if (calls >= 0) {
      calls(path(k).dot("tool_calls"), message.array(calls), place);
    }
    if (Given.at(message, "function_call") >= 0) {
      dropped.add(path(k).dot("function_call"));
    }
  }

  /** An answer that is to be continued must not end in white space. */
  private boolean writeBegun(int k, JsonMembers message, Supplier<JsonOut> place) {
    int i = k < messages.size() - 1 ? -1 : Given.text(message, "content");
    if (i < 0) {
      return false;
    }
    String text = message.string(i).stripTrailing();
    if (!text.isEmpty()) {
      JsonOut out = place.get().beginObject().name("type").string("text").name("text").string(text);
      CacheControl.write(message, out);
      out.endObject();
    }
    return true;
  }

  private void calls(Param path, JsonElements calls, Supplier<JsonOut> place) {
    for (int k = 0; k < calls.size(); k++) {
      JsonMembers call = calls.kind(k) == JsonKind.OBJECT ? calls.object(k) : null;
      int i = call == null ? -1 : Given.at(call, "function", JsonKind.OBJECT);
      if (call == null || i < 0 || !call(call, call.object(i), place)) {
        dropped.add(path.at(k));
      }
    }
  }

  private static boolean call(JsonMembers call, JsonMembers function, Supplier<JsonOut> place) {
    int name = Given.text(function, "name");
    int id = Given.text(call, "id");
    if (name < 0 || id < 0) {
      return false;
    }
    JsonOut out = place.get().beginObject().name("type").string("tool_use");
    out.name("id").string(callId(call.string(id)));
    out.name("name").raw(JsonBytes.of(function, name));
    out.name("input");
    CallArguments.write(function, out);
    CacheControl.write(call, out);
    out.endObject();
    return true;
  }

  /** Anthropic takes letters, digits, underscores and hyphens; others have more in their ids. */
  private static String callId(String id) {
    return id.replaceAll("[^a-zA-Z0-9_-]", "_");
  }

  private void result(int k, JsonMembers message, JsonOut out) {
    int id = Given.text(message, "tool_call_id");
    out.beginObject().name("type").string("tool_result");
    out.name("tool_use_id").string(id < 0 ? "" : callId(message.string(id)));
    var blocks = new LazyArray("content", out);
    content.write(message, path(k), blocks);
    blocks.end();
    if (Given.at(message, "is_error", JsonKind.TRUE) >= 0) {
      out.name("is_error").bool(true);
    }
    out.endObject();
  }
}
