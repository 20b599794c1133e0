package dev.tollgate.mock.demo;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A small instance of a JSON schema: required properties, or all if none is required. It knows
 * types, {@code enum}, {@code const}, bounds, formats, nesting, {@code anyOf} and local {@code
 * $ref}; of {@code pattern} and other rules it knows nothing.
 */
final class SchemaSample {
  private static final int DEPTH_MAX = 24;
  private static final int OPTIONAL_DEPTH_MAX = 6;
  private static final int VALUES_MAX = 1_000;
  private static final int ITEMS_MAX = 100;

  private final JsonMembers root;

  /** References that are being followed: what is not required ends there. */
  private final Set<String> followed = new HashSet<>(Set.of("#"));

  private int values;

  private SchemaSample(JsonMembers root) {
    this.root = root;
  }

  /** Returns an instance as a tree that {@link JsonBytes#value} writes. */
  static Object of(JsonMembers schema) {
    return new SchemaSample(schema).value(schema, "answer", 0);
  }

  private Object value(JsonItems schemas, int i, String name, int depth) {
    JsonMembers schema = DemoAnswer.object(schemas, i);
    return schema == null ? "demo " + name : value(schema, name, depth);
  }

  private Object value(JsonMembers schema, String name, int depth) {
    if (++values > VALUES_MAX || depth > DEPTH_MAX) {
      return JsonBytes.NULL;
    }
    Object fixed = fixed(schema);
    if (fixed != null) {
      return fixed;
    }
    String reference = string(schema, "$ref");
    if (!reference.isEmpty()) {
      return referenced(reference, name, depth);
    }
    Object combined = combined(schema, name, depth);
    return combined == null ? typed(schema, name, depth) : combined;
  }

  private Object typed(JsonMembers schema, String name, int depth) {
    return switch (type(schema)) {
      case "object" -> object(schema, depth);
      case "array" -> array(schema, name, depth);
      case "integer" -> (long) new NumberBounds(schema, true).sample();
      case "number" -> new NumberBounds(schema, false).sample();
      case "boolean" -> true;
      case "null" -> JsonBytes.NULL;
      default -> StringSample.of(string(schema, "format"), name, schema);
    };
  }

  /** Returns the value of {@code const} or the first of {@code enum}, or null if there is none. */
  private static @Nullable Object fixed(JsonMembers schema) {
    int constant = schema.indexOf("const");
    if (constant >= 0) {
      return JsonBytes.of(schema, constant);
    }
    JsonElements choices = array(schema, "enum");
    return choices == null || choices.size() == 0 ? null : JsonBytes.of(choices, 0);
  }

  private Object referenced(String reference, String name, int depth) {
    JsonMembers found = resolve(reference);
    if (found == null) {
      return "demo " + name;
    }
    boolean isNew = followed.add(reference);
    Object value = value(found, name, depth + 1);
    if (isNew) {
      followed.remove(reference);
    }
    return value;
  }

  /** Follows a JSON pointer such as {@code #/$defs/step} from the root. */
  private @Nullable JsonMembers resolve(String reference) {
    JsonMembers at = root;
    String[] steps = reference.split("/", -1);
    if (!steps[0].equals("#")) {
      return null;
    }
    for (int n = 1; n < steps.length && at != null; n++) {
      at = DemoAnswer.object(at, steps[n].replace("~1", "/").replace("~0", "~"));
    }
    return at;
  }

  private @Nullable Object combined(JsonMembers schema, String name, int depth) {
    JsonElements all = array(schema, "allOf");
    if (all != null && all.size() > 0) {
      return ofAll(schema, all, name, depth);
    }
    JsonElements any = array(schema, "anyOf");
    any = any == null ? array(schema, "oneOf") : any;
    return any == null || any.size() == 0 || schema.indexOf("type") >= 0
        ? null
        : value(any, alternative(any), name, depth + 1);
  }

  /** Returns the members of all parts together, or the first value that is not an object. */
  private Object ofAll(JsonMembers schema, JsonElements parts, String name, int depth) {
    Map<Object, Object> together = new LinkedHashMap<>();
    if (schema.indexOf("properties") >= 0) {
      together.putAll(object(schema, depth));
    }
    for (int i = 0; i < parts.size(); i++) {
      if (!(value(parts, i, name, depth + 1) instanceof Map<?, ?> members)) {
        return value(parts, i, name, depth + 1);
      }
      together.putAll(members);
    }
    return together;
  }

  /** Returns the first alternative that says something and does not recur. */
  private int alternative(JsonElements any) {
    int found = -1;
    for (int i = 0; i < any.size(); i++) {
      JsonMembers schema = DemoAnswer.object(any, i);
      if (schema == null || !recurs(schema)) {
        boolean isNull = schema != null && type(schema).equals("null");
        if (!isNull) {
          return i;
        }
        found = i;
      }
    }
    return Math.max(0, found);
  }

  private boolean recurs(JsonMembers schema) {
    return followed.contains(string(schema, "$ref"));
  }

  private Map<String, Object> object(JsonMembers schema, int depth) {
    Map<String, Object> members = new LinkedHashMap<>();
    Set<String> required = new HashSet<>(strings(schema, "required"));
    JsonMembers properties = DemoAnswer.object(schema, "properties");
    for (int i = 0; properties != null && i < properties.size(); i++) {
      String name = properties.name(i);
      if (required.contains(name) || (required.isEmpty() && isShown(properties, i, depth))) {
        members.put(name, value(properties, i, name, depth + 1));
      }
    }
    required.forEach(name -> members.putIfAbsent(name, "demo " + name));
    return members;
  }

  private boolean isShown(JsonMembers properties, int i, int depth) {
    JsonMembers schema = DemoAnswer.object(properties, i);
    return depth < OPTIONAL_DEPTH_MAX && schema != null && !recurs(schema);
  }

  private List<Object> array(JsonMembers schema, String name, int depth) {
    List<Object> elements = new ArrayList<>();
    JsonElements first = array(schema, "prefixItems");
    for (int i = 0; first != null && i < first.size(); i++) {
      elements.add(value(first, i, name, depth + 1));
    }
    int rest = schema.indexOf("items");
    JsonMembers item = rest < 0 ? null : DemoAnswer.object(schema, rest);
    int shown = item == null || recurs(item) || depth >= OPTIONAL_DEPTH_MAX ? 0 : 1;
    int count = Math.min(integer(schema, "maxItems", ITEMS_MAX), ITEMS_MAX);
    count = Math.min(count, Math.max(shown, integer(schema, "minItems", 0)));
    for (int n = elements.size(); n < count; n++) {
      String numbered = n == 0 ? name : name + " " + (n + 1);
      elements.add(item == null ? "demo " + numbered : value(item, numbered, depth + 1));
    }
    return elements;
  }

  /** Returns the type, or what the schema's other members tell of it. */
  private static String type(JsonMembers schema) {
    for (String type : strings(schema, "type")) {
      if (!type.equals("null")) {
        return type;
      }
    }
    if (schema.indexOf("type") >= 0) {
      String type = string(schema, "type");
      return type.isEmpty() ? "null" : type;
    }
    boolean isObject = schema.indexOf("properties") >= 0 || schema.indexOf("required") >= 0;
    boolean isArray = schema.indexOf("items") >= 0 || schema.indexOf("prefixItems") >= 0;
    boolean isNumber = schema.indexOf("minimum") >= 0 || schema.indexOf("maximum") >= 0;
    return isObject ? "object" : isArray ? "array" : isNumber ? "number" : "string";
  }

  private static List<String> strings(JsonMembers members, String name) {
    List<String> strings = new ArrayList<>();
    JsonElements elements = array(members, name);
    for (int i = 0; elements != null && i < elements.size(); i++) {
      if (elements.kind(i) == JsonKind.STRING) {
        strings.add(elements.string(i));
      }
    }
    return strings;
  }

  private static @Nullable JsonElements array(JsonMembers members, String name) {
    int at = members.indexOf(name);
    return at >= 0 && members.kind(at) == JsonKind.ARRAY ? members.array(at) : null;
  }

  private static String string(JsonMembers members, String name) {
    int at = members.indexOf(name);
    return at >= 0 && members.kind(at) == JsonKind.STRING ? members.string(at) : "";
  }

  static int integer(JsonMembers members, String name, int otherwise) {
    int at = members.indexOf(name);
    return at < 0 ? otherwise : Math.clamp(members.integer(at, otherwise), 0, 1 << 20);
  }
}
