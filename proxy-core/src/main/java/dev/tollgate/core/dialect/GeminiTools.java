package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.json.Param;
import java.util.List;

/** The tools of a chat and which of them must be called, as Gemini takes them. */
final class GeminiTools {
  private final JsonMembers chat;
  private final Dropped dropped;

  GeminiTools(JsonMembers chat, Dropped dropped) {
    this.chat = chat;
    this.dropped = dropped;
  }

  /** Whether a chat has a tool that Gemini gets. */
  static boolean areDeclared(JsonMembers chat) {
    JsonElements tools = in(chat);
    for (int k = 0; k < tools.size(); k++) {
      if (function(tools.object(k)) >= 0) {
        return true;
      }
    }
    return false;
  }

  private static JsonElements in(JsonMembers chat) {
    int i = Given.at(chat, "tools", JsonKind.ARRAY);
    return i < 0 ? new JsonElements() : chat.array(i);
  }

  /** Where a tool's function is; -1: it is none. */
  private static int function(JsonMembers tool) {
    return Given.is(tool, "type", "function") ? Given.at(tool, "function", JsonKind.OBJECT) : -1;
  }

  void writeTo(JsonOut out) {
    JsonElements tools = in(chat);
    int written = 0;
    for (int k = 0; k < tools.size(); k++) {
      JsonMembers tool = tools.object(k);
      int function = function(tool);
      if (function < 0) {
        dropped.add(Param.of("tools").at(k)); // free text is nothing that a tool there takes
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
    if (Given.at(chat, "parallel_tool_calls", JsonKind.FALSE) >= 0) {
      dropped.add("parallel_tool_calls");
    }
  }

  private static void tool(JsonMembers function, JsonOut out) {
    out.beginObject().name("name").raw(JsonBytes.of(function, function.indexOf("name")));
    int description = Given.at(function, "description", JsonKind.STRING);
    if (description >= 0) {
      out.name("description").raw(JsonBytes.of(function, description));
    }
    int parameters = Given.at(function, "parameters", JsonKind.OBJECT);
    if (parameters >= 0 && !Given.isEmpty(function, parameters)) {
      out.name("parametersJsonSchema").raw(JsonBytes.of(function, parameters));
    }
    out.endObject();
  }

  private void choice(JsonOut out) {
    int i = Given.at(chat, "tool_choice");
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

  private void choice(JsonMembers choice, JsonOut out) {
    int i = Given.at(choice, "function", JsonKind.OBJECT);
    JsonMembers function = i < 0 ? null : choice.object(i);
    int name = function == null ? -1 : Given.text(function, "name");
    if (function == null || name < 0) {
      dropped.add("tool_choice"); // some of the tools, or one of another kind
    } else {
      choice("ANY", List.of(JsonBytes.of(function, name)), out);
    }
  }

  private static void choice(String mode, List<JsonBytes> names, JsonOut out) {
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
