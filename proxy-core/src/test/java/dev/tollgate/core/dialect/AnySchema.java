package dev.tollgate.core.dialect;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Random;

/** JSON schema made by a random: nested objects, lists, choices and references, with any bounds. */
final class AnySchema {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int DEPTH_MAX = 4;
  private static final List<String> NAMES = List.of("a", "b", "items", "type", "$ref", "c/d~%");
  private static final List<String> REFERENCES =
      List.of(
          "#",
          "#/$defs/a",
          "#/$defs/b",
          "#/$defs/c~1d~0%25",
          "#/definitions/a",
          "#/definitions/b",
          "#/properties/a",
          "#/$defs/absent",
          "other.json");
  private static final List<String> TYPES =
      List.of("object", "object", "array", "string", "integer", "boolean", "null");

  private final Random random;

  private AnySchema(Random random) {
    this.random = random;
  }

  static ObjectNode of(Random random) {
    var any = new AnySchema(random);
    ObjectNode schema = any.random.nextInt(4) == 0 ? any.schema(0) : any.object(0);
    for (String keyword : new String[] {"$defs", "definitions"}) {
      if (random.nextInt(3) == 0) {
        any.named(schema.putObject(keyword), 1);
      }
    }
    return schema;
  }

  private boolean seldom() {
    return random.nextInt(5) == 0;
  }

  private <T> T one(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private ObjectNode schema(int depth) {
    int kinds = depth < DEPTH_MAX ? 8 : 2;
    return switch (random.nextInt(kinds)) {
      case 0 -> plain();
      case 1 -> remarks(JSON.objectNode().put("$ref", one(REFERENCES)));
      case 2 -> list(depth);
      case 3 -> choice(depth);
      default -> object(depth);
    };
  }

  private ObjectNode plain() {
    ObjectNode schema = JSON.objectNode();
    switch (random.nextInt(7)) {
      case 0 -> schema.put("type", "string").put("pattern", "^a").put("maxLength", 3);
      case 1 -> schema.put("type", "string").put("format", one(List.of("date", "email", "x")));
      case 2 -> schema.put("type", "number").put("exclusiveMinimum", 1).put("maximum", 3);
      case 3 -> schema.putArray("enum").add("a").add(1).add(random.nextBoolean() ? "b" : null);
      case 4 -> schema.put("const", random.nextBoolean());
      case 5 -> schema.put("const", "a");
      default -> schema.putArray("type").add(one(TYPES)).add("null");
    }
    return remarks(schema);
  }

  private ObjectNode remarks(ObjectNode schema) {
    if (seldom()) {
      schema.put("description", "d");
    }
    if (seldom()) {
      schema.put("title", "T").putNull("default");
    }
    return schema;
  }

  private ObjectNode list(int depth) {
    ObjectNode schema = JSON.objectNode().put("type", "array").put("minItems", random.nextInt(3));
    if (seldom()) {
      schema.putArray("items").add(schema(depth + 1));
    } else {
      schema.set("items", schema(depth + 1));
    }
    return remarks(schema);
  }

  private ObjectNode choice(int depth) {
    ObjectNode schema = JSON.objectNode();
    ArrayNode choices = schema.putArray(one(List.of("anyOf", "oneOf", "allOf", "anyOf")));
    for (int k = random.nextInt(2); k >= 0; k--) {
      choices.add(schema(depth + 1));
    }
    if (random.nextBoolean()) {
      choices.addObject().put("type", "null");
    }
    return remarks(schema);
  }

  private ObjectNode object(int depth) {
    ObjectNode schema = JSON.objectNode();
    if (!seldom()) {
      schema.put("type", "object");
    }
    if (!seldom()) {
      named(schema.putObject("properties"), depth + 1);
      ArrayNode required = schema.putArray("required");
      schema
          .path("properties")
          .fieldNames()
          .forEachRemaining(
              name -> {
                if (random.nextInt(4) > 0) {
                  required.add(name);
                }
              });
    }
    if (seldom()) {
      schema.put("additionalProperties", random.nextBoolean());
    } else if (seldom()) {
      schema.set("additionalProperties", schema(depth + 1));
    }
    if (seldom()) {
      schema.put("minProperties", 1).set("not", schema(depth + 1));
    }
    return remarks(schema);
  }

  private void named(ObjectNode schemas, int depth) {
    for (int k = random.nextInt(3); k >= 0; k--) {
      schemas.set(one(NAMES), seldom() ? JSON.booleanNode(true) : schema(depth));
    }
  }
}
