package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;

/** Schema of a tool's arguments, with the type {@code object}, which OpenAI implies. */
public final class ToolSchema {
  private ToolSchema() {}

  /** Writes a schema; one without a type is that of an object. */
  public static void write(JsonMembers schema, JsonWriter out) {
    if (isTyped(schema)) {
      out.raw(JsonBytes.raw(schema.bytes(), schema.objectStart(), schema.objectEnd()));
      return;
    }
    out.beginObject().name("type").string("object");
    for (int i = 0; i < schema.size(); i++) {
      if (!schema.isName(i, "type")) {
        out.name(schema.name(i)).raw(JsonBytes.of(schema, i));
      }
    }
    out.endObject();
  }

  private static boolean isTyped(JsonMembers schema) {
    int i = JsonReads.find(schema, "type");
    return i >= 0 && schema.kind(i) == JsonKind.STRING && !schema.isEmptyString(i);
  }
}
