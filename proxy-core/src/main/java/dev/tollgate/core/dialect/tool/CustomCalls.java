package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import org.jspecify.annotations.Nullable;

/**
 * Earlier calls of custom tools, whose input is free text. Other providers have only functions, so
 * they become calls of functions with that text as their one argument.
 */
final class CustomCalls {
  private static final JsonBytes FUNCTION = JsonBytes.string("function");

  private CustomCalls() {}

  /** Adds the edits of a chat. */
  static void edit(JsonMembers chat, JsonSplice edits) {
    int i = JsonReads.find(chat, "messages", JsonKind.ARRAY);
    if (i < 0) {
      return;
    }
    JsonElements messages = chat.array(i);
    JsonSplice inside = JsonSplice.of(messages);
    JsonMembers message = new JsonMembers();
    for (int k = 0; k < messages.size(); k++) {
      message.readInside(messages, k);
      if (JsonReads.find(message, "tool_calls", JsonKind.ARRAY) >= 0) {
        JsonSplice edited = calls(messages.object(k));
        if (edited != null) {
          inside.replace(k, edited);
        }
      }
    }
    if (!inside.isUnchanged()) {
      edits.replace(i, inside);
    }
  }

  private static @Nullable JsonSplice calls(JsonMembers message) {
    int list = message.indexOf("tool_calls");
    JsonElements calls = message.array(list);
    JsonSplice edits = JsonSplice.of(calls);
    for (int k = 0; k < calls.size(); k++) {
      JsonMembers call = JsonReads.object(calls, k);
      int custom = JsonReads.find(call, "custom", JsonKind.OBJECT);
      if (custom >= 0 && JsonReads.isString(call, "type", "custom")) {
        edits.replace(k, call(call, custom));
      }
    }
    return edits.isUnchanged() ? null : JsonSplice.of(message).replace(list, edits);
  }

  private static JsonSplice call(JsonMembers call, int custom) {
    JsonMembers made = call.object(custom);
    int name = JsonReads.findText(made, "name");
    int input = JsonReads.find(made, "input", JsonKind.STRING);
    String text = input < 0 ? "\"\"" : made.text(input);
    String function =
        "{\"name\":"
            + (name < 0 ? "\"\"" : made.text(name))
            + ",\"arguments\":"
            + JsonBytes.string("{\"input\":" + text + "}")
            + "}";
    JsonSplice edits = JsonSplice.of(call).replace(call.indexOf("type"), FUNCTION);
    return edits.delete(custom).insertBefore(custom, "function", JsonBytes.raw(function));
  }
}
