package dev.tollgate.server.control.route;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.ErrorType;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.control.route.RecordMembers.Member;
import java.lang.reflect.AnnotatedType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** JSON Schemas of records, each once under the names of its class and those around it. */
final class SchemaSet {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final String PREFIX = "#/components/schemas/";
  private static final String ERROR = "Error";

  private final Map<String, ObjectNode> byName = new TreeMap<>();
  private final Map<String, Class<?>> owners = new TreeMap<>();

  ObjectNode all() {
    ObjectNode all = JSON.objectNode();
    byName.forEach(all::set);
    return all;
  }

  /** Returns the schema of every refusal. */
  JsonNode error() {
    if (!byName.containsKey(ERROR)) {
      byName.put(ERROR, envelope());
    }
    return reference(ERROR);
  }

  private ObjectNode envelope() {
    ObjectNode envelope = JSON.objectNode().put("type", "object");
    envelope.putArray("required").add("error");
    ObjectNode error = envelope.putObject("properties").putObject("error").put("type", "object");
    error.putArray("required").add("type").add("code").add("message").add("request_id");
    ObjectNode members = error.putObject("properties");
    members.set("type", constants(ErrorType.class));
    members.set("code", constants(ErrorCode.class));
    List.of("message", "request_id", "param")
        .forEach(name -> members.putObject(name).put("type", "string"));
    members.putObject("retry_after").put("type", "integer");
    ObjectNode details = members.putObject("details").put("type", "object");
    details.putObject("properties").set("reason", constants(RefusalReason.class));
    return envelope;
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
    for (Member member : RecordMembers.flat(type)) {
      members.set(member.name(), nullable(of(type, member, isRequest, false), member.isNullable()));
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
      return object;
    }
    ObjectNode either = JSON.objectNode();
    either.putArray("anyOf").add(schema).addObject().put("type", "null");
    return either;
  }

  /**
   * Returns the schema of a record's member.
   *
   * @param inQuery true if it is a parameter, of which a list is repeated
   */
  JsonNode of(Class<?> record, Member member, boolean isRequest, boolean inQuery) {
    OneOf set = member.oneOf();
    if (set == null) {
      return of(member.type(), isRequest, inQuery);
    }
    JsonNode text = closedSet(record, member, set);
    boolean isList = List.class.isAssignableFrom(RecordMembers.raw(member.type()));
    return isList ? JSON.objectNode().put("type", "array").set("items", text) : text;
  }

  /** A set of one enum has its name, another one that of the first record and its member. */
  private JsonNode closedSet(Class<?> record, Member member, OneOf set) {
    if (set.value().length == 1 && set.texts().length == 0) {
      return constants(set.value()[0]);
    }
    List<String> texts = new ArrayList<>();
    for (Class<? extends Enum<?>> each : set.value()) {
      texts.addAll(Scalars.names(each));
    }
    texts.addAll(List.of(set.texts()));
    String component = member.component();
    String own =
        name(record) + component.substring(0, 1).toUpperCase(Locale.ROOT) + component.substring(1);
    return named(
        byName.entrySet().stream()
            .filter(known -> known.getValue().equals(set(texts)))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElse(own),
        texts);
  }

  private static ObjectNode set(List<String> texts) {
    ObjectNode schema = JSON.objectNode().put("type", "string");
    texts.forEach(schema.putArray("enum")::add);
    return schema;
  }

  private JsonNode constants(Class<?> type) {
    return named(name(type), Scalars.names(type));
  }

  private JsonNode named(String name, List<String> texts) {
    ObjectNode schema = set(texts);
    ObjectNode known = byName.putIfAbsent(name, schema);
    if (known != null && !known.equals(schema)) {
      throw new IllegalStateException("two sets are named " + name);
    }
    return reference(name);
  }

  private JsonNode of(AnnotatedType type, boolean isRequest, boolean inQuery) {
    Class<?> raw = RecordMembers.raw(type);
    if (RecordMembers.isInteger(raw)) {
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
      ObjectNode map = JSON.objectNode().put("type", "object");
      map.set("additionalProperties", of(RecordMembers.lastArgument(type), isRequest, inQuery));
      return map;
    }
    if (raw.isEnum()) {
      return constants(raw);
    }
    Optional<Scalars.Text> text = Scalars.of(raw);
    return text.isPresent() ? text(text.get()) : of(raw, isRequest);
  }

  private static JsonNode text(Scalars.Text text) {
    ObjectNode schema = JSON.objectNode().put("type", "string");
    if (!text.format().equals("string")) {
      schema.put("format", text.format());
    }
    return schema;
  }
}
