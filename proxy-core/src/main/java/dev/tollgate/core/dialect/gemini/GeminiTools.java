package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.List;

/** Writes the tools and the tool choice of a chat request in Gemini's form. */
final class GeminiTools {
  private final JsonMembers chat;
  private final DroppedFields dropped;

  GeminiTools(JsonMembers chat, DroppedFields dropped) {
    this.chat = chat;
    this.dropped = dropped;
  }

  /** True if a chat has a tool that Gemini gets. */
  static boolean hasFunctions(JsonMembers chat) {
    JsonElements tools = toolsOf(chat);
    for (int k = 0; k < tools.size(); k++) {
      if (function(tools.object(k)) >= 0) {
        return true;
      }
    }
    return false;
  }

  private static JsonElements toolsOf(JsonMembers chat) {
    return JsonReads.array(chat, "tools");
  }

  /** Returns the index of a tool's function; -1 means the tool is of another kind. */
  private static int function(JsonMembers tool) {
    return JsonReads.isString(tool, "type", "function")
        ? JsonReads.find(tool, "function", JsonKind.OBJECT)
        : -1;
  }

  void writeTo(JsonWriter out) {
    JsonElements tools = toolsOf(chat);
    int written = 0;
    for (int k = 0; k < tools.size(); k++) {
      JsonMembers tool = tools.object(k);
      int function = function(tool);
      if (function < 0) {
        dropped.add(Param.of("tools").at(k)); // tools there take no free text
        continue;
      }
      if (written++ == 0) {
        out.name("tools").beginArray().beginObject().name("functionDeclarations").beginArray();
      }
      tool(tool.object(function), out);
    }
    if (written > 0) {
      out.endArray().endObject().endArray();
      choice(out);
    }
    if (JsonReads.find(chat, "parallel_tool_calls", JsonKind.FALSE) >= 0) {
      dropped.add("parallel_tool_calls");
    }
  }

  private static void tool(JsonMembers function, JsonWriter out) {
    out.beginObject().name("name").raw(JsonBytes.of(function, function.indexOf("name")));
    int description = JsonReads.find(function, "description", JsonKind.STRING);
    if (description >= 0) {
      out.name("description").raw(JsonBytes.of(function, description));
    }
    int parameters = JsonReads.find(function, "parameters", JsonKind.OBJECT);
    if (parameters >= 0 && !JsonReads.isEmpty(function, parameters)) {
      out.name("parametersJsonSchema").raw(JsonBytes.of(function, parameters));
    }
    out.endObject();
  }

  private void choice(JsonWriter out) {
    int i = JsonReads.find(chat, "tool_choice");
    if (i < 0) {
      return;
    }
    if (chat.kind(i) == JsonKind.OBJECT) {
      choice(chat.object(i), out);
    } else if (chat.isString(i, "required")) {
      choice("ANY", List.of(), out);
    } else if (chat.isString(i, "none")) {
      choice("NONE", List.of(), out);
    } else if (chat.isString(i, "auto")) {
      choice("AUTO", List.of(), out);
    } else {
      dropped.add("tool_choice");
    }
  }

  private void choice(JsonMembers choice, JsonWriter out) {
    JsonMembers function = JsonReads.object(choice, "function");
    int name = JsonReads.findText(function, "name");
    if (name < 0) {
      dropped.add("tool_choice"); // a subset of the tools, or a tool of another kind
    } else {
      choice("ANY", List.of(JsonBytes.of(function, name)), out);
    }
  }

  private static void choice(String mode, List<JsonBytes> names, JsonWriter out) {
    out.name("toolConfig").beginObject().name("functionCallingConfig").beginObject();
    out.name("mode").string(mode);
    if (!names.isEmpty()) {
      out.name("allowedFunctionNames").beginArray();
      names.forEach(out::raw);
      out.endArray();
    }
    out.endObject().endObject();
  }
}
