package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/** What providers are documented to refuse of JSON schemas that they enforce. */
final class SchemaRefusals {
  private static final Set<String> CHOICES = Set.of("anyOf", "oneOf", "allOf", "not");
  private static final Set<String> NAMED = Set.of("properties", "$defs", "definitions");
  private static final Set<String> VALUES = Set.of("enum", "const", "default", "examples");

  private static final Set<String> BOUNDS =
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
          "patternProperties");

  private static final Set<String> OF_GEMINI =
      Set.of(
          "$id",
          "$defs",
          "$ref",
          "$anchor",
          "type",
          "format",
          "title",
          "description",
          "enum",
          "items",
          "prefixItems",
          "minItems",
          "maxItems",
          "minimum",
          "maximum",
          "anyOf",
          "oneOf",
          "properties",
          "additionalProperties",
          "required",
          "propertyOrdering");

  private final JsonNode root;
  private final List<String> found = new ArrayList<>();

  private SchemaRefusals(JsonNode root) {
    this.root = root;
  }

  /** Returns what Claude refuses of the schema of an answer or a strict tool. */
  static List<String> ofClaude(JsonNode schema) {
    var refusals = new SchemaRefusals(schema);
    refusals.each(schema, refusals::claude);
    refusals.cycles(schema, false, Set.of());
    return refusals.found;
  }

  /** Returns what Cohere refuses of the schema of an answer or of tools that are all strict. */
  static List<String> ofCohere(JsonNode schema) {
    var refusals = new SchemaRefusals(schema);
    refusals.check(
        isString(schema.path("type"), "object"), "top-level type must be object", schema);
    refusals.each(schema, refusals::cohere);
    refusals.cycles(schema, false, Set.of());
    return refusals.found;
  }

  /** Returns what Gemini refuses of the schema of an answer or a tool. */
  static List<String> ofGemini(JsonNode schema) {
    var refusals = new SchemaRefusals(schema);
    refusals.each(schema, refusals::gemini);
    refusals.cycles(schema, true, Set.of());
    return refusals.found;
  }

  private void check(boolean isMet, String demand, JsonNode schema) {
    if (!isMet) {
      found.add(demand + ": " + schema);
    }
  }

  private static boolean isString(JsonNode value, String text) {
    return value.isTextual() && value.asText().equals(text);
  }

  private static boolean isObject(JsonNode schema) {
    JsonNode type = schema.path("type");
    boolean isObject = isString(type, "object") || schema.has("properties");
    for (JsonNode one : type) {
      isObject |= isString(one, "object");
    }
    return isObject;
  }

  private void claude(String keyword, JsonNode schema) {
    check(!BOUNDS.contains(keyword), "property '" + keyword + "' is not supported", schema);
    if (isObject(schema)) {
      JsonNode more = schema.path("additionalProperties");
      check(
          more.isBoolean() && !more.asBoolean(),
          "For 'object' type, 'additionalProperties' must be explicitly set to false",
          schema);
    }
  }

  private void cohere(String keyword, JsonNode schema) {
    boolean isTaken =
        !BOUNDS.contains(keyword)
            && !CHOICES.contains(keyword)
            && !keyword.equals("minItems")
            && !keyword.equals("additionalProperties");
    check(isTaken, "'" + keyword + "' is not supported", schema);
    check(
        !isObject(schema) || !schema.path("required").isEmpty(),
        "objects must have at least one required field",
        schema);
  }

  private void gemini(String keyword, JsonNode schema) {
    check(OF_GEMINI.contains(keyword), "'" + keyword + "' is not supported", schema);
    check(
        !schema.has("$ref") || keyword.startsWith("$"),
        "If $ref is set, no other properties may be set",
        schema);
    for (JsonNode value : schema.path("enum")) {
      check(value.isTextual() || value.isNumber(), "enum takes strings and numbers", schema);
    }
  }

  /** Calls a rule for each keyword of each schema. */
  private void each(JsonNode schema, BiConsumer<String, JsonNode> rule) {
    if (schema.isArray()) {
      schema.forEach(one -> each(one, rule));
    }
    schema
        .properties()
        .forEach(
            member -> {
              rule.accept(member.getKey(), schema);
              if (NAMED.contains(member.getKey())) {
                member.getValue().forEach(named -> each(named, rule));
              } else if (!VALUES.contains(member.getKey())) {
                each(member.getValue(), rule);
              }
            });
  }

  /** Follows references, which must not lead in a cycle. */
  private void cycles(JsonNode schema, boolean mayBeOptional, Set<String> behind) {
    if (schema.isArray()) {
      schema.forEach(one -> cycles(one, mayBeOptional, behind));
    }
    schema
        .properties()
        .forEach(
            member -> {
              String keyword = member.getKey();
              if (keyword.equals("$ref")) {
                reference(member.getValue().asText(), mayBeOptional, behind);
              } else if (keyword.equals("properties")) {
                properties(schema, mayBeOptional, behind);
              } else if (!VALUES.contains(keyword) && !NAMED.contains(keyword)) {
                cycles(member.getValue(), mayBeOptional, behind);
              }
            });
  }

  private void properties(JsonNode schema, boolean mayBeOptional, Set<String> behind) {
    Set<String> required = new HashSet<>();
    schema.path("required").forEach(name -> required.add(name.asText()));
    schema
        .path("properties")
        .properties()
        .forEach(
            member -> {
              if (!mayBeOptional || required.contains(member.getKey())) {
                cycles(member.getValue(), mayBeOptional, behind);
              }
            });
  }

  private void reference(String reference, boolean mayBeOptional, Set<String> behind) {
    JsonNode target = root.at(URLDecoder.decode(reference.substring(1), UTF_8));
    check(!target.isMissingNode(), "reference leads nowhere: " + reference, root);
    if (reference.equals("#") || behind.contains(reference)) {
      found.add("reference leads in a cycle: " + reference + " in " + root);
      return;
    }
    Set<String> further = new HashSet<>(behind);
    further.add(reference);
    cycles(target, mayBeOptional, further);
  }
}
