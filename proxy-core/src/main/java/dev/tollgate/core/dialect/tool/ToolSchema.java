package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.Set;

/** Schema of a tool's arguments, with the type {@code object}, which OpenAI implies. */
public final class ToolSchema {
  /** Keywords that change no call. */
  private static final Set<String> REMARKS =
      Set.of("type", "title", "description", "$schema", "$id", "$comment", "examples");

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

  /**
   * Writes a schema whose outermost object has only keywords that a provider takes there, and names
   * the others that have a meaning.
   */
  public static void writeOnly(
      Set<String> taken, JsonMembers schema, Param path, DroppedFields dropped, JsonWriter out) {
    out.beginObject().name("type").string("object");
    for (int i = 0; i < schema.size(); i++) {
      String name = schema.name(i);
      if (taken.contains(name)) {
        out.name(name).raw(JsonBytes.of(schema, i));
      } else if (!REMARKS.contains(name) && schema.kind(i) != JsonKind.FALSE) {
        dropped.add(path.dot(name));
      }
    }
    out.endObject();
  }

  private static boolean isTyped(JsonMembers schema) {
    int i = JsonReads.find(schema, "type");
    return i >= 0 && schema.kind(i) == JsonKind.STRING && !schema.isEmptyString(i);
  }
}
