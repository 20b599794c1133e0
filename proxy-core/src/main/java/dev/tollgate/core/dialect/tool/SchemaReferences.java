package dev.tollgate.core.dialect.tool;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import java.net.URLDecoder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the schemas that references within a JSON schema lead to. */
final class SchemaReferences {
  /** References to other places than definitions: each is walked to from the outermost schema. */
  private static final int WALKED_MAX = 64;

  /** Largest schema that is written in place of a reference to it, and the sum of all. */
  private static final int INLINED_BYTES_MAX = 2_000;

  private static final int INLINED_BYTES_SUM_MAX = 65_536;

  private final JsonMembers root;
  private final Map<String, JsonMembers> definitions = new HashMap<>();
  private final Map<String, Map<String, Integer>> names = new HashMap<>();
  private final Map<String, JsonMembers> walked = new HashMap<>();
  private final Map<String, Boolean> known = new HashMap<>();
  private final Set<String> notInlined = new HashSet<>();
  private int walks;
  private int inlinedBytes;

  SchemaReferences(JsonMembers root) {
    this.root = root;
  }

  JsonMembers root() {
    return root;
  }

  /** True if a reference leads to a place within the schema. */
  boolean leadsSomewhere(String reference) {
    return known.computeIfAbsent(reference, of -> target(of) != null);
  }

  /** Returns a small schema without references that a reference leads to; null: it is another. */
  @Nullable JsonMembers inlined(String reference) {
    if (notInlined.contains(reference)) {
      return null;
    }
    JsonMembers target = target(reference);
    if (target == null || !isInlined(target)) {
      notInlined.add(reference);
      return null;
    }
    inlinedBytes += target.objectEnd() - target.objectStart();
    return target;
  }

  private boolean isInlined(JsonMembers target) {
    int bytes = target.objectEnd() - target.objectStart();
    return bytes <= INLINED_BYTES_MAX
        && inlinedBytes + bytes <= INLINED_BYTES_SUM_MAX
        && !JsonBytes.raw(target.bytes(), target.objectStart(), target.objectEnd())
            .toString()
            .contains("\"$ref\"");
  }

  /** Returns the schema that a reference leads to; null if it leads nowhere within the schema. */
  @Nullable JsonMembers target(String reference) {
    if (reference.equals("#")) {
      return root;
    }
    if (!reference.startsWith("#/")) {
      return null;
    }
    String[] steps = steps(reference);
    boolean isDefinition =
        steps.length == 2 && (steps[0].equals("$defs") || steps[0].equals("definitions"));
    return isDefinition ? definition(steps[0], steps[1]) : walked(reference, steps);
  }

  /**
   * Returns the path of the schema that a reference leads to.
   *
   * @param root path of the outermost schema
   */
  static Param path(Param root, String reference) {
    Param path = root;
    for (String step : reference.startsWith("#/") ? steps(reference) : new String[0]) {
      path = path.dot(step);
    }
    return path;
  }

  /** Returns the names on a reference's way; they are in a URI and in a JSON pointer. */
  private static String[] steps(String reference) {
    String pointer = reference.substring(2);
    if (pointer.indexOf('%') >= 0) {
      pointer = decoded(pointer);
    }
    String[] steps = pointer.split("/", -1);
    for (int k = 0; k < steps.length; k++) {
      steps[k] = steps[k].replace("~1", "/").replace("~0", "~");
    }
    return steps;
  }

  private static String decoded(String pointer) {
    try {
      return URLDecoder.decode(pointer.replace("+", "%2B"), UTF_8);
    } catch (IllegalArgumentException e) {
      return pointer; // a percent sign that was not encoded
    }
  }

  private @Nullable JsonMembers definition(String keyword, String name) {
    JsonMembers all = definitions.computeIfAbsent(keyword, of -> JsonReads.object(root, of));
    Integer i = names.computeIfAbsent(keyword, _ -> indexes(all)).get(name);
    return i == null || all.kind(i) != JsonKind.OBJECT ? null : all.object(i);
  }

  private static Map<String, Integer> indexes(JsonMembers all) {
    Map<String, Integer> indexes = new HashMap<>();
    for (int i = 0; i < all.size(); i++) {
      indexes.putIfAbsent(all.name(i), i);
    }
    return indexes;
  }

  private @Nullable JsonMembers walked(String reference, String[] steps) {
    if (walked.containsKey(reference) || walks++ >= WALKED_MAX) {
      return walked.get(reference);
    }
    JsonItems at = root;
    for (int k = 0; k < steps.length; k++) {
      int i = index(at, steps[k]);
      if (i < 0) {
        return null;
      }
      switch (at.kind(i)) {
        case OBJECT -> at = at.object(i);
        case ARRAY -> at = at.array(i);
        case STRING, NUMBER, TRUE, FALSE, NULL -> {
          return null;
        }
      }
    }
    if (at instanceof JsonMembers target) {
      walked.put(reference, target);
      return target;
    }
    return null;
  }

  private static int index(JsonItems items, String step) {
    return switch (items) {
      case JsonMembers members -> members.indexOf(step);
      case JsonElements elements -> index(elements.size(), step);
    };
  }

  private static int index(int size, String step) {
    for (int k = 0; k < size && step.length() <= 5; k++) {
      if (step.equals(Integer.toString(k))) {
        return k;
      }
    }
    return -1;
  }
}
