package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ToolChoice;
import dev.tollgate.core.dialect.tool.SchemaRules;
import dev.tollgate.core.dialect.tool.ToolSchema;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.Set;

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
    ToolChoice choice = ToolChoice.of(chat);
    int written = 0;
    for (int k = 0; k < tools.size(); k++) {
      JsonMembers tool = tools.object(k);
      int function = function(tool);
      if (function < 0) {
        dropped.add(Param.of("tools").at(k)); // tools there take no free text
        continue;
      }
      if (choice.mode() == ToolChoice.Mode.AUTO && !choice.offers(tool.object(function))) {
        continue; // Gemini restricts the calls only where it demands one
      }
      if (written++ == 0) {
        out.name("tools").beginArray().beginObject().name("functionDeclarations").beginArray();
      }
      Param path = Param.of("tools").at(k).dot("function");
      tool(tool.object(function), path.dot("parameters"), out);
      boolean isStrict = JsonReads.find(tool.object(function), "strict", JsonKind.TRUE) >= 0;
      if (isStrict && !choice.isForced() && choice.mode() != ToolChoice.Mode.NONE) {
        dropped.add(path.dot("strict")); // Gemini enforces schemas where it demands a call
      }
    }
    if (written > 0) {
      out.endArray().endObject().endArray();
      choice(choice, out);
    }
    if (JsonReads.find(chat, "parallel_tool_calls", JsonKind.FALSE) >= 0) {
      dropped.add("parallel_tool_calls");
    }
  }

  private void tool(JsonMembers function, Param path, JsonWriter out) {
    out.beginObject().name("name").raw(JsonBytes.of(function, function.indexOf("name")));
    int description = JsonReads.find(function, "description", JsonKind.STRING);
    if (description >= 0) {
      out.name("description").raw(JsonBytes.of(function, description));
    }
    int parameters = JsonReads.find(function, "parameters", JsonKind.OBJECT);
    if (parameters >= 0 && !JsonReads.isEmpty(function, parameters)) {
      out.name("parametersJsonSchema");
      ToolSchema.writeReduced(function.object(parameters), SchemaRules.GEMINI, path, dropped, out);
    }
    out.endObject();
  }

  private void choice(ToolChoice choice, JsonWriter out) {
    switch (choice.mode()) {
      case UNSET -> {}
      case AUTO -> choice("AUTO", Set.of(), out);
      case NONE -> choice("NONE", Set.of(), out);
      case REQUIRED, FUNCTION -> choice("ANY", choice.functions(), out);
      case OTHER -> dropped.add("tool_choice");
    }
  }

  private static void choice(String mode, Set<String> names, JsonWriter out) {
    out.name("toolConfig").beginObject().name("functionCallingConfig").beginObject();
    out.name("mode").string(mode);
    if (!names.isEmpty()) {
      out.name("allowedFunctionNames").beginArray();
      names.stream().sorted().forEachOrdered(out::string);
      out.endArray();
    }
    out.endObject().endObject();
  }
}
