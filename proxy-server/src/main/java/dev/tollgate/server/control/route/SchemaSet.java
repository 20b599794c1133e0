package dev.tollgate.server.control.route;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.server.control.route.RecordMembers.Member;
import java.lang.reflect.AnnotatedType;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** JSON Schemas of records, each once under the names of its class and those around it. */
final class SchemaSet {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final String PREFIX = "#/components/schemas/";
  private static final String ERROR = "Error";
  private static final Set<Class<?>> INTEGERS =
      Set.of(long.class, Long.class, int.class, Integer.class, BigInteger.class);

  private final Map<String, ObjectNode> byName = new TreeMap<>();
  private final Map<String, Class<?>> owners = new TreeMap<>();

  ObjectNode all() {
    ObjectNode all = JSON.objectNode();
    byName.forEach(all::set);
    return all;
  }

  /** Returns the schema of every refusal. */
  JsonNode error() {
    byName.computeIfAbsent(
        ERROR,
        _ -> {
          ObjectNode envelope = JSON.objectNode().put("type", "object");
          envelope.putArray("required").add("error");
          ObjectNode error =
              envelope.putObject("properties").putObject("error").put("type", "object");
          error.putArray("required").add("type").add("code").add("message").add("request_id");
          ObjectNode members = error.putObject("properties");
          List.of("type", "code", "message", "request_id", "param")
              .forEach(name -> members.putObject(name).put("type", "string"));
          members.putObject("retry_after").put("type", "integer");
          members.putObject("details").put("type", "object");
          return envelope;
        });
    return reference(ERROR);
  }

  /**
   * Returns a reference to a record's schema.
   *
   * @param isRequest true if members that may be null may be left out, and no others are allowed
   */
  JsonNode of(Class<?> type, boolean isRequest) {
    if (type == Object.class || type == JsonNode.class) {
      return JSON.objectNode();
    }
    if (type.isSealed()) {
      ObjectNode either = JSON.objectNode();
      ArrayNode options = either.putArray("oneOf");
      for (Class<?> option : type.getPermittedSubclasses()) {
        options.add(of(option, isRequest));
      }
      return either;
    }
    String name = name(type);
    Class<?> owner = owners.putIfAbsent(name, type);
    if (owner != null && owner != type) {
      throw new IllegalStateException("two records are named " + name + ": " + owner + ", " + type);
    }
    if (owner == null) {
      ObjectNode schema = JSON.objectNode();
      byName.put(name, schema);
      describe(schema, type, isRequest);
    }
    return reference(name);
  }

  /** Returns the schema of a page of rows. */
  JsonNode page(Class<?> row) {
    ObjectNode page = JSON.objectNode().put("type", "object");
    ObjectNode members = page.putObject("properties");
    members.putObject("data").put("type", "array").set("items", of(row, false));
    members.putObject("next_cursor").putArray("type").add("string").add("null");
    page.putArray("required").add("data").add("next_cursor");
    return page.put("additionalProperties", false);
  }

  /** Records inside another class often share their simple names. */
  private static String name(Class<?> type) {
    Class<?> outer = type.getEnclosingClass();
    return outer == null ? type.getSimpleName() : name(outer) + type.getSimpleName();
  }

  private static ObjectNode reference(String name) {
    return JSON.objectNode().put("$ref", PREFIX + name);
  }

  private void describe(ObjectNode schema, Class<?> type, boolean isRequest) {
    schema.put("type", "object");
    ObjectNode members = schema.putObject("properties");
    ArrayNode required = JSON.arrayNode();
    for (Member member : RecordMembers.of(type)) {
      members.set(
          member.name(), nullable(of(member.type(), isRequest, false), member.isNullable()));
      if (!isRequest || member.isRequired()) {
        required.add(member.name());
      }
    }
    if (!required.isEmpty()) {
      schema.set("required", required);
    }
    schema.put("additionalProperties", false);
  }

  private static JsonNode nullable(JsonNode schema, boolean isNullable) {
    if (!isNullable || schema.isEmpty()) {
      return schema;
    }
    if (schema instanceof ObjectNode object && object.path("type").isTextual()) {
      String type = object.path("type").textValue();
      object.putArray("type").add(type).add("null");
      if (object.get("enum") instanceof ArrayNode constants) {
        constants.addNull();
      }
      return object;
    }
    ObjectNode either = JSON.objectNode();
    either.putArray("anyOf").add(schema).addObject().put("type", "null");
    return either;
  }

  /**
   * Returns the schema of a component's type.
   *
   * @param inQuery true if it is a parameter, of which a list is repeated
   */
  JsonNode of(AnnotatedType type, boolean isRequest, boolean inQuery) {
    Class<?> raw = RecordMembers.raw(type);
    if (INTEGERS.contains(raw)) {
      return JSON.objectNode().put("type", "integer");
    }
    if (raw == double.class || raw == Double.class) {
      return JSON.objectNode().put("type", "number");
    }
    if (raw == boolean.class || raw == Boolean.class) {
      return JSON.objectNode().put("type", "boolean");
    }
    if (List.class.isAssignableFrom(raw) || Set.class.isAssignableFrom(raw)) {
      ObjectNode list = JSON.objectNode().put("type", "array");
      list.set("items", of(RecordMembers.argument(type), isRequest, inQuery));
      return list;
    }
    if (Map.class.isAssignableFrom(raw)) {
      return JSON.objectNode().put("type", "object");
    }
    Optional<Scalars.Text> text = Scalars.of(raw);
    return text.isPresent() ? text(raw, text.get()) : of(raw, isRequest);
  }

  private static JsonNode text(Class<?> type, Scalars.Text text) {
    ObjectNode schema = JSON.objectNode().put("type", "string");
    if (type.isEnum()) {
      ArrayNode constants = schema.putArray("enum");
      for (Object constant : type.getEnumConstants()) {
        constants.add(ControlJson.wire((Enum<?>) constant));
      }
    } else if (!text.format().equals("string")) {
      schema.put("format", text.format());
    }
    return schema;
  }
}
