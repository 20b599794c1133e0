package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ToolChoice;
import dev.tollgate.core.dialect.tool.SchemaReducer;
import dev.tollgate.core.dialect.tool.SchemaRules;
import dev.tollgate.core.dialect.tool.ToolSchema;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.Optional;

/** Writes the tools and the tool choice of a chat request in Anthropic's form. */
public final class AnthropicTools {
  private static final JsonBytes NO_ARGUMENTS =
      JsonBytes.raw("{\"type\":\"object\",\"properties\":{}}");

  private final JsonMembers chat;
  private final boolean understandsSchemas;
  private final DroppedFields dropped;

  /**
   * @param understandsSchemas true if the model enforces the tools' schemas
   */
  AnthropicTools(JsonMembers chat, boolean understandsSchemas, DroppedFields dropped) {
    this.chat = chat;
    this.understandsSchemas = understandsSchemas;
    this.dropped = dropped;
  }

  void writeTo(JsonWriter out) {
    JsonElements tools = JsonReads.array(chat, "tools");
    ToolChoice choice = ToolChoice.of(chat);
    int written = 0;
    for (int k = 0; k < tools.size(); k++) {
      JsonMembers tool = tools.object(k);
      int function = JsonReads.find(tool, "function", JsonKind.OBJECT);
      if (!JsonReads.isString(tool, "type", "function") || function < 0) {
        dropped.add(Param.of("tools").at(k)); // tools there take no free text
        continue;
      }
      if (!choice.offers(tool.object(function))) {
        continue;
      }
      if (written++ == 0) {
        out.name("tools").beginArray();
      }
      tool(tool, tool.object(function), Param.of("tools").at(k), out);
    }
    if (written > 0) {
      out.endArray();
      choice(choice, out);
    }
  }

  private void tool(JsonMembers tool, JsonMembers function, Param path, JsonWriter out) {
    out.beginObject().name("name").raw(JsonBytes.of(function, function.indexOf("name")));
    int description = JsonReads.find(function, "description", JsonKind.STRING);
    if (description >= 0) {
      out.name("description").raw(JsonBytes.of(function, description));
    }
    int parameters = JsonReads.find(function, "parameters", JsonKind.OBJECT);
    boolean some = parameters >= 0 && !JsonReads.isEmpty(function, parameters);
    Optional<JsonBytes> strict =
        understandsSchemas
            ? SchemaReducer.ofStrictTool(
                function, SchemaRules.CLAUDE, path.dot("function"), dropped)
            : Optional.empty();
    out.name("input_schema");
    if (strict.isPresent()) {
      out.raw(strict.get()).name("strict").bool(true);
    } else if (some) {
      Param at = path.dot("function").dot("parameters");
      ToolSchema.writeForClaude(function.object(parameters), at, dropped, out);
    } else {
      out.raw(NO_ARGUMENTS);
    }
    if (strict.isEmpty() && JsonReads.find(function, "strict", JsonKind.TRUE) >= 0) {
      dropped.add(path.dot("function").dot("strict"));
    }
    if (!CacheControl.write(tool, out)) {
      CacheControl.write(function, out);
    }
    out.endObject();
  }

  private void choice(ToolChoice choice, JsonWriter out) {
    boolean single = JsonReads.find(chat, "parallel_tool_calls", JsonKind.FALSE) >= 0;
    switch (choice.mode()) {
      case AUTO -> choice("auto", "", single, out);
      case NONE -> choice("none", "", false, out);
      case REQUIRED -> choice("any", "", single, out);
      case FUNCTION -> choice("tool", choice.function(), single, out);
      case UNSET -> auto(single, out);
      case OTHER -> {
        dropped.add("tool_choice");
        auto(single, out);
      }
    }
  }

  private static void auto(boolean single, JsonWriter out) {
    if (single) {
      choice("auto", "", true, out);
    }
  }

  private static void choice(String type, String name, boolean single, JsonWriter out) {
    out.name("tool_choice").beginObject().name("type").string(type);
    if (!name.isEmpty()) {
      out.name("name").string(name);
    }
    if (single) {
      out.name("disable_parallel_tool_use").bool(true);
    }
    out.endObject();
  }
}
