package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import io.netty.buffer.Unpooled;
import java.util.Set;

/**
 * Checks whether Anthropic accepts a JSON schema, and closes the objects of a schema, as Anthropic
 * requires. An answer that fits a closed object fits the open one.
 */
public final class AnthropicSchema {
  /**
   * Keywords that Anthropic refuses; other providers accept them and do not always enforce them.
   */
  private static final Set<String> REFUSED =
      Set.of(
          "minimum",
          "maximum",
          "exclusiveMinimum",
          "exclusiveMaximum",
          "multipleOf",
          "minLength",
          "maxLength",
          "maxItems",
          "uniqueItems",
          "minProperties",
          "maxProperties",
          "patternProperties",
          "oneOf",
          "not",
          "if");

  /** Keywords whose members are named by the client. */
  private static final Set<String> NAMED = Set.of("properties", "$defs", "definitions");

  /** Keywords that hold values, not schemas. */
  private static final Set<String> VALUES = Set.of("enum", "const", "default", "examples");

  private AnthropicSchema() {}

  /** Returns the schema with every object closed. */
  public static JsonBytes closed(JsonMembers schema) {
    JsonSplice edits = closing(schema);
    if (edits.isUnchanged()) {
      return JsonBytes.raw(schema.bytes(), schema.objectStart(), schema.objectEnd());
    }
    byte[] json = new byte[edits.sizeBytes()];
    edits.writeTo(Unpooled.wrappedBuffer(json).clear());
    return JsonBytes.raw(json);
  }

  private static JsonSplice closing(JsonMembers schema) {
    JsonSplice edits = JsonSplice.of(schema);
    for (int i = 0; i < schema.size(); i++) {
      String name = schema.name(i);
      if (NAMED.contains(name) && schema.kind(i) == JsonKind.OBJECT) {
        JsonSplice named = each(schema.object(i));
        replace(edits, i, named);
      } else if (!VALUES.contains(name)) {
        close(schema, i, edits);
      }
    }
    if (isObject(schema) && schema.indexOf("additionalProperties") < 0) {
      edits.insertLast("additionalProperties", JsonBytes.FALSE);
    }
    return edits;
  }

  private static JsonSplice each(JsonItems schemas) {
    JsonSplice edits = JsonSplice.of(schemas);
    for (int i = 0; i < schemas.size(); i++) {
      close(schemas, i, edits);
    }
    return edits;
  }

  private static void close(JsonItems items, int i, JsonSplice edits) {
    switch (items.kind(i)) {
      case OBJECT -> replace(edits, i, closing(items.object(i)));
      case ARRAY -> replace(edits, i, each(items.array(i)));
      case STRING, NUMBER, TRUE, FALSE, NULL -> {}
    }
  }

  private static void replace(JsonSplice edits, int i, JsonSplice inside) {
    if (!inside.isUnchanged()) {
      edits.replace(i, inside);
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

  /**
   * True if Anthropic accepts a schema: it has no object that is open on purpose, and no
   * unsupported keyword.
   */
  public static boolean isSupported(JsonMembers schema) {
    int more = schema.indexOf("additionalProperties");
    if (more >= 0 && schema.kind(more) != JsonKind.FALSE) {
      return false;
    }
    for (int i = 0; i < schema.size(); i++) {
      String name = schema.name(i);
      if (REFUSED.contains(name) || (name.equals("minItems") && schema.integer(i, 2) > 1)) {
        return false;
      }
      boolean named = NAMED.contains(name) && schema.kind(i) == JsonKind.OBJECT;
      boolean isSupported =
          VALUES.contains(name)
              || (named ? areSupported(schema.object(i)) : isSupported(schema, i));
      if (!isSupported) {
        return false;
      }
    }
    return true;
  }

  private static boolean areSupported(JsonMembers named) {
    for (int i = 0; i < named.size(); i++) {
      if (!isSupported(named, i)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isSupported(JsonItems items, int i) {
    return switch (items.kind(i)) {
      case OBJECT -> isSupported(items.object(i));
      case ARRAY -> areSupported(items.array(i));
      case STRING, NUMBER, TRUE, FALSE, NULL -> true;
    };
  }

  private static boolean areSupported(JsonElements schemas) {
    for (int k = 0; k < schemas.size(); k++) {
      if (!isSupported(schemas, k)) {
        return false;
      }
    }
    return true;
  }
}
