package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ToolChoice;
import dev.tollgate.core.dialect.bedrock.BedrockCachePoints.CacheMark;
import dev.tollgate.core.dialect.tool.SchemaReducer;
import dev.tollgate.core.dialect.tool.SchemaRules;
import dev.tollgate.core.dialect.tool.ToolSchema;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Writes the tools and the tool choice of a chat request in the form of Bedrock's Converse API.
 * Converse refuses a conversation with calls but without tools, so the called functions are
 * declared then.
 */
final class BedrockTools {
  private static final JsonBytes NO_ARGUMENTS =
      JsonBytes.raw("{\"type\":\"object\",\"properties\":{}}");

  /** Keywords that Nova takes at the outermost object of a tool's schema, besides its type. */
  private static final Set<String> OF_NOVAS_TOOLS = Set.of("properties", "required", "$defs");

  private final JsonMembers chat;
  private final BedrockFamily family;
  private final boolean understandsSchemas;
  private final BedrockCachePoints cache;
  private final DroppedFields dropped;

  /**
   * @param understandsSchemas true if the model enforces the tools' schemas
   */
  BedrockTools(
      JsonMembers chat,
      BedrockFamily family,
      boolean understandsSchemas,
      BedrockCachePoints cache,
      DroppedFields dropped) {
    this.chat = chat;
    this.family = family;
    this.understandsSchemas = understandsSchemas;
    this.cache = cache;
    this.dropped = dropped;
  }

  void writeTo(JsonWriter out) {
    Map<String, JsonBytes> called = called();
    ToolChoice choice = ToolChoice.of(chat);
    boolean none = choice.mode() == ToolChoice.Mode.NONE;
    int i = JsonReads.find(chat, "tools", JsonKind.ARRAY);
    boolean some = i >= 0 && (!none || !called.isEmpty()) && hasFunctions(chat.array(i));
    if (!some && called.isEmpty()) {
      return;
    }
    out.name("toolConfig").beginObject().name("tools").beginArray();
    if (some) {
      tools(chat.array(i), choice, out);
    } else {
      called.forEach((_, name) -> spec(name, out).endObject().endObject());
    }
    out.endArray();
    if (none) {
      dropped.add("tool_choice"); // Converse cannot forbid calls
    } else if (some) {
      choice(choice, out);
    }
    out.endObject();
  }

  /** Returns the names of the called functions, each once. */
  private Map<String, JsonBytes> called() {
    Map<String, JsonBytes> names = new LinkedHashMap<>();
    JsonElements messages = chat.array(chat.indexOf("messages"));
    for (int k = 0; k < messages.size(); k++) {
      JsonMembers message = messages.object(k);
      if (JsonReads.isString(message, "role", "assistant")) {
        called(JsonReads.array(message, "tool_calls"), names);
      }
    }
    return names;
  }

  private static void called(JsonElements calls, Map<String, JsonBytes> names) {
    for (int k = 0; k < calls.size(); k++) {
      JsonMembers function = JsonReads.object(JsonReads.object(calls, k), "function");
      int name = JsonReads.findText(function, "name");
      if (name >= 0) {
        names.put(function.string(name), JsonBytes.of(function, name));
      }
    }
  }

  private static JsonWriter spec(JsonBytes name, JsonWriter out) {
    out.beginObject().name("toolSpec").beginObject().name("name").raw(name);
    out.name("inputSchema").beginObject().name("json").raw(NO_ARGUMENTS);
    return out.endObject();
  }

  /** True if some tools are functions; Converse's tools take no free text. */
  private boolean hasFunctions(JsonElements tools) {
    boolean some = false;
    for (int k = 0; k < tools.size(); k++) {
      if (isFunction(tools.object(k))) {
        some = true;
      } else {
        dropped.add(Param.of("tools").at(k));
      }
    }
    return some;
  }

  private static boolean isFunction(JsonMembers tool) {
    return JsonReads.isString(tool, "type", "function")
        && JsonReads.find(tool, "function", JsonKind.OBJECT) >= 0;
  }

  private void tools(JsonElements tools, ToolChoice choice, JsonWriter out) {
    for (int k = 0; k < tools.size(); k++) {
      JsonMembers tool = tools.object(k);
      if (isFunction(tool) && choice.offers(tool.object(tool.indexOf("function")))) {
        tool(tool, tool.object(tool.indexOf("function")), Param.of("tools").at(k), out);
      }
    }
  }

  private void tool(JsonMembers tool, JsonMembers function, Param path, JsonWriter out) {
    out.beginObject().name("toolSpec").beginObject();
    out.name("name").raw(JsonBytes.of(function, function.indexOf("name")));
    JsonReads.copyText(function, "description", "description", out);
    int parameters = JsonReads.find(function, "parameters", JsonKind.OBJECT);
    boolean some = parameters >= 0 && !JsonReads.isEmpty(function, parameters);
    Optional<JsonBytes> strict =
        understandsSchemas
            ? SchemaReducer.ofStrictTool(
                function, SchemaRules.CLAUDE, path.dot("function"), dropped)
            : Optional.empty();
    out.name("inputSchema").beginObject().name("json");
    if (strict.isPresent()) {
      out.raw(strict.get());
    } else if (some) {
      schema(function.object(parameters), path.dot("function").dot("parameters"), out);
    } else {
      out.raw(NO_ARGUMENTS);
    }
    out.endObject();
    if (strict.isPresent()) {
      out.name("strict").bool(true);
    } else if (JsonReads.find(function, "strict", JsonKind.TRUE) >= 0) {
      dropped.add(path.dot("function").dot("strict"));
    }
    out.endObject().endObject();
    CacheMark own = CacheMark.of(tool, path);
    cache.writeBehindTool(own == null ? CacheMark.of(function, path.dot("function")) : own, out);
  }

  private void schema(JsonMembers schema, Param path, JsonWriter out) {
    switch (family) {
      case NOVA, NOVA_2 -> ToolSchema.writeOnly(OF_NOVAS_TOOLS, schema, path, dropped, out);
      case CLAUDE -> ToolSchema.writeForClaude(schema, path, dropped, out);
      case OPENAI, MISTRAL, COHERE, PROFILE, OTHER -> ToolSchema.write(schema, path, dropped, out);
    }
  }

  private void choice(ToolChoice choice, JsonWriter out) {
    switch (choice.mode()) {
      case UNSET, AUTO, NONE -> {} // by default the model chooses
      case REQUIRED -> any(out);
      case FUNCTION -> function(choice.function(), out);
      case OTHER -> dropped.add("tool_choice");
    }
  }

  private void any(JsonWriter out) {
    switch (family) {
      case CLAUDE, NOVA, NOVA_2, MISTRAL ->
          out.name("toolChoice").beginObject().name("any").beginObject().endObject().endObject();
      case OPENAI, COHERE, PROFILE, OTHER -> dropped.add("tool_choice"); // refused there
    }
  }

  private void function(String name, JsonWriter out) {
    if (takesName()) {
      out.name("toolChoice").beginObject().name("tool").beginObject();
      out.name("name").string(name).endObject().endObject();
    } else {
      dropped.add("tool_choice"); // refused by the model
    }
  }

  private boolean takesName() {
    return switch (family) {
      case CLAUDE, NOVA, NOVA_2 -> true;
      case OPENAI, MISTRAL, COHERE, PROFILE, OTHER -> false;
    };
  }
}
