package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.Optional;
import java.util.Set;

/** Schema of a tool's arguments, with the type {@code object}, which OpenAI implies. */
public final class ToolSchema {
  /** Keywords that change no call. */
  private static final Set<String> REMARKS =
      Set.of("type", "title", "description", "$schema", "$id", "$comment", "examples");

  /** Keywords that Claude refuses at the outermost object, at any host. */
  private static final Set<String> CHOICES = Set.of("anyOf", "oneOf", "allOf");

  private static final JsonBytes NO_ARGUMENTS =
      JsonBytes.raw("{\"type\":\"object\",\"properties\":{}}");

  private static final JsonBytes ANYTHING = JsonBytes.raw("{}");

  private ToolSchema() {}

  /** True if the outermost object has keywords that Claude refuses there. */
  public static boolean hasChoices(JsonMembers schema) {
    return CHOICES.stream().anyMatch(keyword -> schema.indexOf(keyword) >= 0);
  }

  /** Writes a schema without what Claude refuses at the outermost object, which is named. */
  public static void writeForClaude(
      JsonMembers schema, Param path, DroppedFields dropped, JsonWriter out) {
    if (!hasChoices(schema) || !isOfObject(schema)) {
      write(schema, path, dropped, out);
      return;
    }
    out.beginObject().name("type").string("object");
    for (int i = 0; i < schema.size(); i++) {
      String name = schema.name(i);
      if (CHOICES.contains(name)) {
        dropped.add(path.dot(name));
      } else if (!name.equals("type")) {
        out.name(name).raw(JsonBytes.of(schema, i));
      }
    }
    out.endObject();
  }

  /** True if the arguments that a schema describes may be an object, as they always are. */
  public static boolean isOfObject(JsonMembers schema) {
    int i = JsonReads.find(schema, "type");
    if (i < 0) {
      return true;
    }
    return switch (schema.kind(i)) {
      case STRING -> schema.isString(i, "object") || schema.isEmptyString(i);
      case ARRAY -> schema.array(i).size() == 0 || hasObject(schema.array(i));
      case OBJECT, NUMBER, TRUE, FALSE, NULL -> true;
    };
  }

  private static boolean hasObject(JsonElements types) {
    for (int k = 0; k < types.size(); k++) {
      if (types.isString(k, "object")) {
        return true;
      }
    }
    return false;
  }

  /**
   * Writes a schema. One without a type is that of an object; one of another type, which providers
   * refuse and no call can have, is named, and an object without members is written instead.
   */
  public static void write(JsonMembers schema, Param path, DroppedFields dropped, JsonWriter out) {
    if (!isOfObject(schema)) {
      dropped.add(path);
      out.raw(NO_ARGUMENTS);
      return;
    }
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

  /** Writes a schema as reduced; one that cannot be reduced is named and replaced likewise. */
  public static void writeReduced(
      JsonMembers schema, SchemaRules rules, Param path, DroppedFields dropped, JsonWriter out) {
    Optional<JsonBytes> reduced = SchemaReducer.ofTool(schema, rules, path, dropped);
    if (reduced.isEmpty()) {
      dropped.add(path);
    }
    out.raw(reduced.orElse(NO_ARGUMENTS));
  }

  /**
   * Writes a schema whose outermost object has only keywords that a provider takes there, and names
   * the others that have a meaning.
   */
  public static void writeOnly(
      Set<String> taken, JsonMembers schema, Param path, DroppedFields dropped, JsonWriter out) {
    if (!isOfObject(schema)) {
      write(schema, path, dropped, out);
      return;
    }
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

  /**
   * Writes a schema whose outermost object has schemas that are objects, as some servers demand.
   */
  public static void writeOfObjects(
      JsonMembers schema, Param path, DroppedFields dropped, JsonWriter out) {
    JsonMembers properties = JsonReads.object(schema, "properties");
    int plain = 0;
    for (int i = 0; i < properties.size(); i++) {
      plain += properties.kind(i) == JsonKind.OBJECT ? 1 : 0;
    }
    if (plain == properties.size() || !isOfObject(schema)) {
      write(schema, path, dropped, out);
      return;
    }
    out.beginObject().name("type").string("object").name("properties").beginObject();
    for (int i = 0; i < properties.size(); i++) {
      boolean isObject = properties.kind(i) == JsonKind.OBJECT;
      out.name(properties.name(i)).raw(isObject ? JsonBytes.of(properties, i) : ANYTHING);
    }
    out.endObject();
    for (int i = 0; i < schema.size(); i++) {
      if (!schema.isName(i, "type") && !schema.isName(i, "properties")) {
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
