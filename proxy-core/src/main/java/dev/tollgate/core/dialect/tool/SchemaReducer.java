package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ResponseFormat;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Optional;
import java.util.Set;

/**
 * Reduces a JSON schema to what a provider takes. What is refused goes, all else stays; a bound
 * that went is stated in the description of its value, and named. An answer that fits the reduced
 * schema has the shape of the whole one, but may exceed its bounds. An instance is used for one
 * schema.
 */
public final class SchemaReducer {
  private static final JsonBytes ANYTHING = JsonBytes.raw("{}");
  private static final Param ANSWER = Param.of("response_format").dot("json_schema").dot("schema");
  private static final int STATED_BYTES_MAX = 200;
  private static final String DESCRIPTION = "description";
  private static final String MORE = "additionalProperties";

  /** Keywords whose members are named by the client. */
  private static final Set<String> NAMED = Set.of("properties", "$defs", "definitions");

  /** Keywords without meaning for an answer. */
  private static final Set<String> REMARKS = Set.of("$schema", "$id", "$comment", "examples");

  /** Keywords that hold values, not schemas. */
  private static final Set<String> VALUES = Set.of("enum", "const", "default", "examples");

  private final SchemaRules rules;
  private final DroppedFields dropped;
  private final JsonWriter out;
  private boolean changed;

  private SchemaReducer(SchemaRules rules, DroppedFields dropped, JsonWriter out) {
    this.rules = rules;
    this.dropped = dropped;
    this.out = out;
  }

  /**
   * Returns a reduced schema, and names what went; empty if it cannot be reduced: it refers to
   * itself, or describes no member of its object.
   *
   * @param path of the schema in the request
   */
  public static Optional<JsonBytes> reduced(
      JsonMembers schema, SchemaRules rules, Param path, DroppedFields dropped) {
    if (!SchemaReferences.areFinite(schema) || (rules.closesObjects() && isMap(schema))) {
      return Optional.empty();
    }
    ByteBuf json = Unpooled.buffer(schema.objectEnd() - schema.objectStart());
    var reducer = new SchemaReducer(rules, dropped, new JsonWriter(json));
    reducer.schema(schema, path);
    return Optional.of(
        reducer.changed
            ? JsonBytes.raw(json.array(), 0, json.writerIndex())
            : JsonBytes.raw(schema.bytes(), schema.objectStart(), schema.objectEnd()));
  }

  /** Returns the reduced schema of an answer's format, which has one. */
  public static Optional<JsonBytes> reduced(
      ResponseFormat format, SchemaRules rules, DroppedFields dropped) {
    return reduced(format.definition().object(format.schema()), rules, ANSWER, dropped);
  }

  /**
   * Returns the reduced schema of a tool that the model is held to; empty if the tool is not
   * strict, or if its schema is better sent whole, as a mere description.
   *
   * @param path of the tool's function
   */
  public static Optional<JsonBytes> ofStrictTool(
      JsonMembers function, SchemaRules rules, Param path, DroppedFields dropped) {
    JsonMembers schema = JsonReads.object(function, "parameters");
    boolean isHeld =
        JsonReads.find(function, "strict", JsonKind.TRUE) >= 0
            && JsonReads.isString(schema, "type", "object")
            && !(rules.closesObjects() && ToolSchema.hasChoices(schema))
            && !hasMaps(schema);
    return isHeld ? reduced(schema, rules, path.dot("parameters"), dropped) : Optional.empty();
  }

  /** True if a schema has an object, here or inside, of which it names no member, on purpose. */
  private static boolean hasMaps(JsonMembers schema) {
    if (isMap(schema)) {
      return true;
    }
    for (int i = 0; i < schema.size(); i++) {
      boolean isNamed = NAMED.contains(schema.name(i));
      if (!VALUES.contains(schema.name(i))
          && (isNamed ? haveMaps(schema, i) : isMapped(schema, i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean haveMaps(JsonItems items, int i) {
    if (items.kind(i) != JsonKind.OBJECT) {
      return false;
    }
    JsonMembers named = items.object(i);
    for (int k = 0; k < named.size(); k++) {
      if (isMapped(named, k)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isMapped(JsonItems items, int i) {
    return switch (items.kind(i)) {
      case OBJECT -> hasMaps(items.object(i));
      case ARRAY -> areMapped(items.array(i));
      case STRING, NUMBER, TRUE, FALSE, NULL -> false;
    };
  }

  private static boolean areMapped(JsonElements schemas) {
    for (int k = 0; k < schemas.size(); k++) {
      if (isMapped(schemas, k)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isMap(JsonMembers schema) {
    int more = schema.indexOf(MORE);
    return more >= 0
        && schema.kind(more) != JsonKind.FALSE
        && JsonReads.object(schema, "properties").size() == 0;
  }

  // One schema

  private void schema(JsonMembers schema, Param path) {
    String bounds = bounds(schema, path);
    out.beginObject();
    for (int i = 0; i < schema.size(); i++) {
      if (schema.isName(i, DESCRIPTION) && schema.kind(i) == JsonKind.STRING) {
        String text = schema.string(i);
        out.name(DESCRIPTION).string(bounds.isEmpty() ? text : text + "\n\n" + bounds);
      } else if (isRefused(schema, i) || REMARKS.contains(schema.name(i))) {
        changed = true;
      } else {
        member(schema, i, path);
      }
    }
    if (!bounds.isEmpty() && JsonReads.find(schema, DESCRIPTION, JsonKind.STRING) < 0) {
      out.name(DESCRIPTION).string(bounds);
    }
    if (rules.closesObjects() && isObject(schema) && !isClosed(schema)) {
      out.name(MORE).bool(false);
      changed = true;
    }
    out.endObject();
  }

  private static boolean isClosed(JsonMembers schema) {
    return JsonReads.find(schema, MORE, JsonKind.FALSE) >= 0;
  }

  /** Names what is refused, and returns it for the description, such as {@code {minimum: 1}}. */
  private String bounds(JsonMembers schema, Param path) {
    StringBuilder stated = new StringBuilder();
    for (int i = 0; i < schema.size(); i++) {
      boolean isMore = schema.isName(i, MORE);
      if (!isRefused(schema, i) || (isMore && schema.kind(i) == JsonKind.FALSE)) {
        continue;
      }
      dropped.add(path.dot(schema.name(i)));
      if (!isMore && schema.valueEnd(i) - schema.valueStart(i) <= STATED_BYTES_MAX) {
        stated.append(stated.isEmpty() ? "{" : ", ").append(schema.name(i)).append(": ");
        stated.append(schema.text(i));
      }
    }
    return stated.isEmpty() ? "" : stated.append('}').toString();
  }

  private boolean isRefused(JsonMembers schema, int i) {
    String name = schema.name(i);
    return switch (name) {
      case MORE -> !rules.closesObjects() || schema.kind(i) != JsonKind.FALSE;
      case "minItems" -> rules.refuses(name) || schema.integer(i, 2) > rules.itemsAtLeast();
      case "format" -> schema.kind(i) == JsonKind.STRING && !rules.takesFormat(schema.string(i));
      case "pattern" -> schema.kind(i) == JsonKind.STRING && !rules.takesPattern(schema.string(i));
      case "enum" -> schema.kind(i) == JsonKind.ARRAY && hasNested(schema.array(i));
      case "items" -> schema.kind(i) == JsonKind.ARRAY;
      default -> rules.refuses(name);
    };
  }

  private static boolean hasNested(JsonElements values) {
    for (int k = 0; k < values.size(); k++) {
      if (values.kind(k) == JsonKind.OBJECT || values.kind(k) == JsonKind.ARRAY) {
        return true;
      }
    }
    return false;
  }

  private void member(JsonMembers schema, int i, Param path) {
    String name = schema.name(i);
    Param at = path.dot(name);
    if (name.equals("oneOf") && schema.indexOf("anyOf") < 0) {
      out.name("anyOf"); // one of them is any of them
      changed = true;
    } else {
      out.name(name);
    }
    if (VALUES.contains(name)) {
      out.raw(JsonBytes.of(schema, i));
    } else if (NAMED.contains(name) && schema.kind(i) == JsonKind.OBJECT) {
      named(schema.object(i), at);
    } else {
      value(schema, i, at);
    }
  }

  private void named(JsonMembers schemas, Param path) {
    out.beginObject();
    for (int i = 0; i < schemas.size(); i++) {
      out.name(schemas.name(i));
      if (schemas.kind(i) == JsonKind.TRUE) {
        out.raw(ANYTHING); // providers take no schema that is a mere true
        changed = true;
      } else {
        value(schemas, i, path.dot(schemas.name(i)));
      }
    }
    out.endObject();
  }

  private void value(JsonItems items, int i, Param path) {
    switch (items.kind(i)) {
      case OBJECT -> schema(items.object(i), path);
      case ARRAY -> {
        JsonElements elements = items.array(i);
        out.beginArray();
        for (int k = 0; k < elements.size(); k++) {
          value(elements, k, path.at(k));
        }
        out.endArray();
      }
      case STRING, NUMBER, TRUE, FALSE, NULL -> out.raw(JsonBytes.of(items, i));
    }
  }

  private static boolean isObject(JsonMembers schema) {
    int i = schema.indexOf("type");
    if (i < 0 || schema.kind(i) != JsonKind.ARRAY) {
      return i >= 0 && schema.isString(i, "object");
    }
    JsonElements types = schema.array(i);
    for (int k = 0; k < types.size(); k++) {
      if (types.isString(k, "object")) {
        return true;
      }
    }
    return false;
  }
}
