package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import org.jspecify.annotations.Nullable;

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

  /** True if the chat forces its model to call a tool. */
  static boolean isForced(JsonMembers chat) {
    int i = JsonReads.find(chat, "tool_choice");
    return i >= 0
        && (chat.isString(i, "required")
            || (chat.kind(i) == JsonKind.OBJECT
                && JsonReads.isString(chat.object(i), "type", "function")));
  }

  void writeTo(JsonWriter out) {
    JsonElements tools = JsonReads.array(chat, "tools");
    int written = 0;
    for (int k = 0; k < tools.size(); k++) {
      JsonMembers tool = tools.object(k);
      int function = JsonReads.find(tool, "function", JsonKind.OBJECT);
      if (!JsonReads.isString(tool, "type", "function") || function < 0) {
        dropped.add(Param.of("tools").at(k)); // tools there take no free text
        continue;
      }
      if (written++ == 0) {
        out.name("tools").beginArray();
      }
      tool(tool, tool.object(function), Param.of("tools").at(k), out);
    }
    if (written > 0) {
      out.endArray();
      choice(out);
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
    boolean strict = understandsSchemas && JsonReads.find(function, "strict", JsonKind.TRUE) >= 0;
    boolean kept = strict && some && mayBeStrict(function.object(parameters));
    out.name("input_schema");
    if (some) {
      schema(function.object(parameters), kept, out);
    } else {
      out.raw(NO_ARGUMENTS);
    }
    if (kept) {
      out.name("strict").bool(true);
    } else if (strict) {
      dropped.add(path.dot("function").dot("strict"));
    }
    if (!CacheControl.write(tool, out)) {
      CacheControl.write(function, out);
    }
    out.endObject();
  }

  /**
   * Writes the schema of the arguments, with the type {@code object} that other providers imply.
   */
  public static void schema(JsonMembers schema, boolean strict, JsonWriter out) {
    if (schema.indexOf("type") >= 0) {
      out.raw(strict ? AnthropicSchema.closed(schema) : whole(schema));
      return;
    }
    out.beginObject().name("type").string("object");
    for (int i = 0; i < schema.size(); i++) {
      out.name(schema.name(i)).raw(JsonBytes.of(schema, i));
    }
    out.endObject();
  }

  private static boolean mayBeStrict(JsonMembers schema) {
    return schema.indexOf("type") >= 0 && AnthropicSchema.isSupported(schema);
  }

  private static JsonBytes whole(JsonMembers schema) {
    return JsonBytes.raw(schema.bytes(), schema.objectStart(), schema.objectEnd());
  }

  private void choice(JsonWriter out) {
    boolean single = JsonReads.find(chat, "parallel_tool_calls", JsonKind.FALSE) >= 0;
    int i = JsonReads.find(chat, "tool_choice");
    if (i >= 0 && chat.kind(i) == JsonKind.OBJECT) {
      choice(chat.object(i), single, out);
    } else if (i >= 0 && chat.isString(i, "required")) {
      choice("any", null, single, out);
    } else if (i >= 0 && chat.isString(i, "none")) {
      choice("none", null, false, out);
    } else if (single || (i >= 0 && chat.isString(i, "auto"))) {
      choice("auto", null, single, out);
    } else if (i >= 0) {
      dropped.add("tool_choice");
    }
  }

  private void choice(JsonMembers choice, boolean single, JsonWriter out) {
    JsonMembers function = JsonReads.object(choice, "function");
    int name = JsonReads.findText(function, "name");
    if (name >= 0) {
      choice("tool", JsonBytes.of(function, name), single, out);
      return;
    }
    dropped.add("tool_choice"); // a subset of the tools, or a tool of another kind
    if (single) {
      choice("auto", null, true, out);
    }
  }

  private static void choice(
      String type, @Nullable JsonBytes name, boolean single, JsonWriter out) {
    out.name("tool_choice").beginObject().name("type").string(type);
    if (name != null) {
      out.name("name").raw(name);
    }
    if (single) {
      out.name("disable_parallel_tool_use").bool(true);
    }
    out.endObject();
  }
}
