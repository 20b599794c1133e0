package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds references within a JSON schema that lead in a cycle: some providers take none, others take
 * those that a property closes which may be absent. Each definition is read once.
 */
final class SchemaCycles {
  /** Largest nesting, with the definitions that schemas refer to as if they stood there. */
  private static final int DEPTH_MAX = 400;

  /** Searches after some properties were made optional: one finds the cycles, the last none. */
  private static final int SEARCHES_MAX = 4;

  private final SchemaReferences references;
  private final boolean mayBeOptional;

  /** Required properties that close a cycle, by the offsets of their schemas. */
  private final Set<Integer> closing;

  private final Map<String, Integer> open = new HashMap<>();
  private final Set<String> done = new HashSet<>();
  private final Deque<Integer> required = new ArrayDeque<>();
  private final Deque<JsonMembers> optional = new ArrayDeque<>();
  private boolean hasCycles;
  private int depth;

  private SchemaCycles(SchemaReferences references, boolean mayBeOptional, Set<Integer> closing) {
    this.references = references;
    this.mayBeOptional = mayBeOptional;
    this.closing = closing;
  }

  /** True if every reference leads to a definition of the schema itself, and none in a cycle. */
  static boolean areAbsent(SchemaReferences references) {
    return new SchemaCycles(references, false, new HashSet<>()).follow();
  }

  /**
   * Returns the offsets of the schemas of required properties that close a cycle: with them as
   * optional ones, only optional properties do. Empty if a cycle is closed otherwise.
   */
  static Optional<Set<Integer>> closing(SchemaReferences references) {
    Set<Integer> closing = new HashSet<>();
    for (int k = 0; k < SEARCHES_MAX; k++) {
      var cycles = new SchemaCycles(references, true, closing);
      if (!cycles.follow()) {
        return Optional.empty();
      }
      if (!cycles.hasCycles) {
        return Optional.of(closing);
      }
    }
    return Optional.empty();
  }

  private boolean follow() {
    open.put("#", 0);
    if (!schema(references.root())) {
      return false;
    }
    open.remove("#");
    done.add("#");
    while (!optional.isEmpty()) {
      if (!schema(optional.remove())) {
        return false;
      }
    }
    return true;
  }

  /** Returns false if a cycle, or something else, cannot be taken. */
  private boolean schema(JsonMembers schema) {
    if (depth++ >= DEPTH_MAX) {
      return false;
    }
    for (int i = 0; i < schema.size(); i++) {
      boolean isTaken =
          switch (schema.name(i)) {
            case "$ref" -> schema.kind(i) != JsonKind.STRING || reference(schema.string(i));
            case "$defs", "definitions", "enum", "const", "default", "examples" -> true;
            case "properties" ->
                schema.kind(i) != JsonKind.OBJECT || properties(schema.object(i), schema);
            default -> value(schema, i);
          };
      if (!isTaken) {
        return false;
      }
    }
    depth--;
    return true;
  }

  private boolean value(JsonItems items, int i) {
    return switch (items.kind(i)) {
      case OBJECT -> schema(items.object(i));
      case ARRAY -> values(items.array(i));
      case STRING, NUMBER, TRUE, FALSE, NULL -> true;
    };
  }

  private boolean values(JsonElements schemas) {
    for (int k = 0; k < schemas.size(); k++) {
      if (!value(schemas, k)) {
        return false;
      }
    }
    return true;
  }

  private boolean properties(JsonMembers properties, JsonMembers schema) {
    Set<String> names = mayBeOptional ? SchemaKeywords.required(schema) : Set.of();
    for (int i = 0; i < properties.size(); i++) {
      int start = properties.valueStart(i);
      boolean isOptional =
          mayBeOptional && (!names.contains(properties.name(i)) || closing.contains(start));
      if (isOptional && properties.kind(i) == JsonKind.OBJECT) {
        optional.add(properties.object(i));
        continue;
      }
      required.push(start);
      if (!value(properties, i)) {
        return false;
      }
      required.pop();
    }
    return true;
  }

  private boolean reference(String reference) {
    if (done.contains(reference)) {
      return true;
    }
    Integer before = open.get(reference);
    if (before != null) {
      return isClosed(before);
    }
    JsonMembers target = target(reference);
    if (target == null) {
      return mayBeOptional; // it is left out
    }
    open.put(reference, required.size());
    if (!schema(target)) {
      return false;
    }
    open.remove(reference);
    done.add(reference);
    return true;
  }

  private @Nullable JsonMembers target(String reference) {
    boolean isDefinition =
        reference.startsWith("#/$defs/") || reference.startsWith("#/definitions/");
    return mayBeOptional || isDefinition ? references.target(reference) : null;
  }

  /** Makes the innermost required property within a cycle optional, if there is one. */
  private boolean isClosed(int before) {
    if (!mayBeOptional || required.size() <= before) {
      return false;
    }
    hasCycles = true;
    closing.add(required.element());
    return true;
  }
}
