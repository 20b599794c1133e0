package dev.tollgate.core.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Schemas of an OpenAPI document, rewritten so that a validator reports where an object differs
 * instead of "matches none of the variants": the variants of an object are chosen by their {@code
 * type}, and null is a variant of its own.
 */
final class PreciseSchemas {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Keywords that demand something of an object and stay as they are. */
  private static final Set<String> KEPT =
      Set.of("type", "items", "additionalProperties", "minimum", "pattern");

  private static final String SCHEMAS = "#/components/schemas/";
  private static final String DEFINITIONS = "#/$defs/";

  /** Length of the texts that can be members of an enumeration. */
  private static final int ENUM_TEXT_LENGTH_MAX = 60;

  private final JsonNode original;
  private final ObjectNode rewritten = MAPPER.createObjectNode();
  private final Set<String> enumerated = new HashSet<>();

  private PreciseSchemas(JsonNode original) {
    this.original = original;
    original
        .properties()
        .forEach(schema -> rewritten.set(schema.getKey(), rewritten(schema.getValue())));
  }

  static PreciseSchemas of(String document) {
    try {
      return new PreciseSchemas(MAPPER.readTree(document).at("/components/schemas"));
    } catch (JsonProcessingException e) {
      throw new AssertionError("not JSON", e);
    }
  }

  /** Returns the schema of a name with all that it refers to. */
  JsonNode root(String name) {
    ObjectNode root = MAPPER.createObjectNode().put("$ref", DEFINITIONS + name);
    return root.set("$defs", rewritten);
  }

  private JsonNode rewritten(JsonNode schema) {
    if (schema instanceof ArrayNode list) {
      ArrayNode all = MAPPER.createArrayNode();
      list.forEach(one -> all.add(rewritten(one)));
      return all;
    }
    if (!(schema instanceof ObjectNode)) {
      return schema;
    }
    ObjectNode all = MAPPER.createObjectNode();
    for (var member : schema.properties()) {
      switch (member.getKey()) {
        case "allOf" ->
            member.getValue().forEach(one -> all.withArray("allOf").add(rewritten(one)));
        case "anyOf", "oneOf" -> variants(all, member.getValue());
        case "$ref" -> all.put("$ref", member.getValue().asText().replace(SCHEMAS, DEFINITIONS));
        case "enum", "const", "required" -> all.set(member.getKey(), member.getValue());
        case "properties" -> {
          ObjectNode own = all.putObject("properties");
          member.getValue().properties().forEach(one -> property(one, own));
        }
        default -> {
          if (KEPT.contains(member.getKey())) {
            all.set(member.getKey(), rewritten(member.getValue()));
          }
        }
      }
    }
    return schema.path("nullable").asBoolean() ? unlessNull(all) : all;
  }

  private void property(Map.Entry<String, JsonNode> property, ObjectNode into) {
    into.set(property.getKey(), rewritten(property.getValue()));
    if (hasEnum(property.getValue())) {
      enumerated.add(property.getKey());
    }
  }

  private boolean hasEnum(JsonNode schema) {
    JsonNode resolved = resolved(schema);
    if (resolved.has("enum") || resolved.has("const")) {
      return true;
    }
    for (String list : List.of("anyOf", "oneOf", "allOf")) {
      for (JsonNode one : resolved.path(list)) {
        if (hasEnum(one)) {
          return true;
        }
      }
    }
    return resolved.has("items") && hasEnum(resolved.get("items"));
  }

  private void variants(ObjectNode into, JsonNode variants) {
    List<JsonNode> present = new ArrayList<>();
    boolean isNullable = false;
    for (JsonNode one : variants) {
      if (one.path("type").asText().equals("null")) {
        isNullable = true;
      } else {
        present.add(one);
      }
    }
    JsonNode chosen = present.size() == 1 ? rewritten(present.getFirst()) : chosen(present);
    ArrayNode all = into.withArray("allOf");
    all.add(isNullable ? unlessNull(chosen) : chosen);
  }

  private static ObjectNode unlessNull(JsonNode schema) {
    ObjectNode all = MAPPER.createObjectNode();
    all.putObject("if").put("type", "null");
    all.set("else", schema);
    return all;
  }

  /** Returns a schema that selects a variant by type where each has types of its own. */
  private ObjectNode chosen(List<JsonNode> variants) {
    ObjectNode all = MAPPER.createObjectNode();
    Set<String> types = new TreeSet<>();
    ArrayNode tests = MAPPER.createArrayNode();
    for (JsonNode variant : variants) {
      List<String> own = types(variant);
      if (own.isEmpty() || own.stream().anyMatch(types::contains)) {
        ArrayNode any = all.removeAll().putArray("anyOf");
        variants.forEach(one -> any.add(rewritten(one)));
        return all;
      }
      types.addAll(own);
      ObjectNode test = tests.addObject();
      test.set("if", ofType(own));
      test.set("then", rewritten(variant));
    }
    all.setAll(ofType(types));
    all.set("allOf", tests);
    return all;
  }

  private static ObjectNode ofType(Iterable<String> types) {
    ObjectNode schema = MAPPER.createObjectNode();
    ArrayNode values = schema.putObject("properties").putObject("type").putArray("enum");
    types.forEach(values::add);
    schema.putArray("required").add("type");
    return schema;
  }

  /** Returns the values that a variant's {@code type} can have. */
  private List<String> types(JsonNode variant) {
    JsonNode schema = resolved(variant);
    JsonNode type = resolved(schema.path("properties").path("type"));
    List<String> values = new ArrayList<>();
    type.path("enum").forEach(one -> values.add(one.asText()));
    if (type.has("const")) {
      values.add(type.get("const").asText());
    }
    for (JsonNode part : schema.path("allOf")) {
      values.addAll(types(part));
    }
    return values;
  }

  private JsonNode resolved(JsonNode schema) {
    String name = schema.path("$ref").asText();
    return name.startsWith(SCHEMAS)
        ? resolved(original.path(name.substring(SCHEMAS.length())))
        : schema;
  }

  /**
   * Returns all that the schemas can tell of an object: its members with their types, and the
   * values of those that are enumerated somewhere.
   */
  String shape(JsonNode node) {
    StringBuilder into = new StringBuilder();
    shape(node, "", into);
    return into.toString();
  }

  private void shape(JsonNode node, String name, StringBuilder into) {
    switch (node.getNodeType()) {
      case OBJECT -> {
        var members = new TreeMap<String, JsonNode>();
        node.properties().forEach(one -> members.put(one.getKey(), one.getValue()));
        into.append('{');
        members.forEach((key, value) -> shape(value, key, into.append(key).append(':')));
        into.append('}');
      }
      case ARRAY -> {
        Set<String> items = new TreeSet<>();
        for (JsonNode item : node) {
          StringBuilder one = new StringBuilder();
          shape(item, name, one);
          items.add(one.toString());
        }
        into.append(items);
      }
      case STRING -> {
        String text = node.textValue();
        boolean counts = enumerated.contains(name) && text.length() <= ENUM_TEXT_LENGTH_MAX;
        into.append('"').append(counts ? text : "");
      }
      case NUMBER -> into.append(node.isIntegralNumber() ? '1' : '.');
      case BOOLEAN -> into.append('b');
      case NULL -> into.append('0');
      case BINARY, MISSING, POJO -> into.append('?');
    }
    into.append(',');
  }
}
