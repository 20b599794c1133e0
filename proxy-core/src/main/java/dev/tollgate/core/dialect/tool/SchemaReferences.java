package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows the references within a JSON schema: some providers accept none that lead in a circle.
 */
final class SchemaReferences {
  private final JsonMembers root;
  private final Set<String> open = new HashSet<>();
  private final Set<String> done = new HashSet<>();

  private SchemaReferences(JsonMembers root) {
    this.root = root;
  }

  /** True if every reference leads to a definition of the schema itself, and none in a circle. */
  static boolean areFinite(JsonMembers schema) {
    return new SchemaReferences(schema).isFinite(schema);
  }

  private boolean isFinite(JsonMembers schema) {
    for (int i = 0; i < schema.size(); i++) {
      boolean isFinite =
          switch (schema.name(i)) {
            case "$ref" -> schema.kind(i) != JsonKind.STRING || isFiniteBehind(schema.string(i));
            case "$defs", "definitions", "enum", "const", "default", "examples" -> true;
            default -> isFinite(schema, i);
          };
      if (!isFinite) {
        return false;
      }
    }
    return true;
  }

  private boolean isFinite(JsonItems items, int i) {
    return switch (items.kind(i)) {
      case OBJECT -> isFinite(items.object(i));
      case ARRAY -> areFinite(items.array(i));
      case STRING, NUMBER, TRUE, FALSE, NULL -> true;
    };
  }

  private boolean areFinite(JsonItems schemas) {
    for (int i = 0; i < schemas.size(); i++) {
      if (!isFinite(schemas, i)) {
        return false;
      }
    }
    return true;
  }

  private boolean isFiniteBehind(String reference) {
    if (done.contains(reference)) {
      return true;
    }
    JsonMembers target = target(reference);
    if (target == null || !open.add(reference)) {
      return false;
    }
    boolean isFinite = isFinite(target);
    open.remove(reference);
    done.add(reference);
    return isFinite;
  }

  private @Nullable JsonMembers target(String reference) {
    String[] steps = reference.split("/", -1);
    if (steps.length != 3 || !steps[0].equals("#")) {
      return null;
    }
    JsonMembers definitions = JsonReads.object(root, steps[1]);
    int i = JsonReads.find(definitions, steps[2], JsonKind.OBJECT);
    return i < 0 ? null : definitions.object(i);
  }
}
