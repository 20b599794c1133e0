package dev.tollgate.core.dialect;

import dev.tollgate.core.dialect.BedrockCache.Mark;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.json.Param;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A conversation as Converse takes it: what the system says on its own, then turns of user and
 * assistant, one after the other. Results of tools are the user's. One use.
 */
final class BedrockTurns {
  private static final String USER = "user";
  private static final String ASSISTANT = "assistant";

  private static final int CALL_ID_CHARS_MAX = 64;

  private final JsonElements messages;
  private final BedrockFamily family;
  private final BedrockCache cache;
  private final Dropped dropped;
  private final BedrockContent content;
  private final int asked;
  private String open = "";

  BedrockTurns(JsonMembers chat, BedrockFamily family, BedrockCache cache, Dropped dropped) {
    this.messages = chat.array(chat.indexOf("messages"));
    this.family = family;
    this.cache = cache;
    this.dropped = dropped;
    this.content = new BedrockContent(cache, dropped);
    this.asked = OnlySystem.last(messages);
  }

  void writeTo(JsonOut out) {
    var system = new LazyArray("system", out);
    for (int k = 0; k < messages.size(); k++) {
      JsonMembers message = messages.object(k);
      if (OnlySystem.is(message) && k != asked) {
        content.writeText(message, path(k), system);
      }
    }
    system.end();
    out.name("messages").beginArray();
    for (int k = 0; k < messages.size(); k++) {
      message(k, messages.object(k), out);
    }
    close(out);
    out.endArray();
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
      case "assistant" -> assistant(k, message, () -> turn(ASSISTANT, out));
      case "tool" -> {
        int id = Given.text(message, "tool_call_id");
        String callId = id < 0 ? "" : callId(message.string(id));
        content.writeResult(message, callId, path(k), turn(USER, out));
      }
      default -> content.write(message, path(k), () -> turn(USER, out)); // user, function
    }
  }

  /** The turn of a role, which is begun with its first block: an empty one would be refused. */
  private JsonOut turn(String role, JsonOut out) {
    if (open.isEmpty() && role.equals(ASSISTANT)) { // who may not be the first to speak
      turn(USER, out).beginObject().name("text").string(BedrockContent.SILENCE).endObject();
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
      content.endTurn(out);
      out.endArray().endObject();
      open = "";
    }
  }

  private void assistant(int k, JsonMembers message, Supplier<JsonOut> place) {
    thoughts(message, place);
    int begun = k < messages.size() - 1 ? -1 : Given.text(message, "content");
    if (begun >= 0) {
      begun(message.string(begun).stripTrailing(), Mark.of(message, path(k)), place);
    } else {
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
  private void begun(String text, @Nullable Mark mark, Supplier<JsonOut> place) {
    if (!text.isBlank()) {
      cache.write(mark, place.get().beginObject().name("text").string(text).endObject());
    }
  }

  /** Thoughts with a signature are Claude's, who must have them back amid calls of tools. */
  private void thoughts(JsonMembers message, Supplier<JsonOut> place) {
    switch (family) {
      case CLAUDE, PROFILE -> AnthropicThoughts.read(message, new Thinking(place));
      case NOVA, NOVA_2, OPENAI, MISTRAL, COHERE, OTHER -> {}
    }
  }

  private final class Thinking implements AnthropicThoughts.Reader {
    private final Supplier<JsonOut> place;

    Thinking(Supplier<JsonOut> place) {
      this.place = place;
    }

    @Override
    public void signed(CharSequence text, JsonBytes signature) {
      JsonOut out = place.get().beginObject().name("reasoningContent").beginObject();
      out.name("reasoningText").beginObject().name("text").string(text);
      out.name("signature").raw(signature).endObject().endObject().endObject();
    }

    @Override
    public void hidden(JsonItems from, int i) {
      JsonOut out = place.get().beginObject().name("reasoningContent").beginObject();
      out.name("redactedContent").string(BedrockThought.redacted(from.string(i), family));
      out.endObject().endObject();
    }
  }

  private void calls(Param path, JsonElements calls, Supplier<JsonOut> place) {
    for (int k = 0; k < calls.size(); k++) {
      JsonMembers call = calls.kind(k) == JsonKind.OBJECT ? calls.object(k) : null;
      int i = call == null ? -1 : Given.at(call, "function", JsonKind.OBJECT);
      if (call == null || i < 0 || !call(call, call.object(i), path.at(k), place)) {
        dropped.add(path.at(k));
      }
    }
  }

  private boolean call(
      JsonMembers call, JsonMembers function, Param path, Supplier<JsonOut> place) {
    int name = Given.text(function, "name");
    int id = Given.text(call, "id");
    if (name < 0 || id < 0) {
      return false;
    }
    JsonOut out = place.get().beginObject().name("toolUse").beginObject();
    out.name("toolUseId").string(callId(call.string(id)));
    out.name("name").raw(JsonBytes.of(function, name)).name("input");
    CallArguments.write(function, out);
    cache.write(Mark.of(call, path), out.endObject().endObject());
    return true;
  }

  /** So many letters, digits, underscores and hyphens are taken; others have more in their ids. */
  private static String callId(String id) {
    String plain = id.replaceAll("[^a-zA-Z0-9_-]", "_");
    return plain.substring(Math.max(0, plain.length() - CALL_ID_CHARS_MAX));
  }
}
