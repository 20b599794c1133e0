package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ResponseFormat;
import dev.tollgate.core.dialect.tool.SchemaKeywords.Keyword;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Reduces a JSON schema to what a provider takes. What is refused goes, all else stays; a bound
 * that went is stated in the description of its value, and named. An answer that fits the reduced
 * schema has the shape of the whole one, but may exceed its bounds. An instance is used for one
 * schema.
 */
public final class SchemaReducer {
  static final String MORE = "additionalProperties";

  /** Keywords whose members are named by the client. */
  static final Set<String> NAMED = Set.of("properties", "$defs", "definitions");

  /** Keywords that hold values, not schemas. */
  static final Set<String> VALUES = Set.of("enum", "const", "default", "examples");

  private static final JsonBytes ANYTHING = JsonBytes.raw("{}");
  private static final Param ANSWER = Param.of("response_format").dot("json_schema").dot("schema");
  private static final int STATED_BYTES_MAX = 200;

  /** Bytes of a schema times its nesting, since the reader of each level reads those below it. */
  private static final long READ_BYTES_MAX = 50_000_000;

  private static final String DESCRIPTION = "description";

  private static final Set<String> TYPES =
      Set.of("object", "array", "string", "number", "integer", "boolean", "null");

  private final SchemaRules rules;
  private final SchemaReferences references;
  private final SchemaFilter filter;
  private final Param root;
  private final Set<Integer> optional;
  private final DroppedFields dropped;
  private final JsonWriter out;

  /**
   * @param root path of the outermost schema
   * @param optional offsets of the schemas of properties that must not be required
   */
  private SchemaReducer(
      SchemaRules rules,
      SchemaReferences references,
      Param root,
      Set<Integer> optional,
      DroppedFields dropped,
      JsonWriter out) {
    this.rules = rules;
    this.references = references;
    this.root = root;
    this.filter = new SchemaFilter(rules, references);
    this.optional = optional;
    this.dropped = dropped;
    this.out = out;
  }

  /** Returns the reduced schema of an answer's format, which has one. */
  public static Optional<JsonBytes> reduced(
      ResponseFormat format, SchemaRules rules, DroppedFields dropped) {
    JsonMembers schema = format.definition().object(format.schema());
    Optional<JsonBytes> reduced = reduced(schema, rules.needsRequired(), rules, ANSWER, dropped);
    boolean mayBeNull = JsonReads.find(schema, "type", JsonKind.ARRAY) >= 0;
    if (reduced.isPresent() && rules.needsRequired() && mayBeNull) {
      dropped.add(ANSWER.dot("type"));
    }
    return reduced;
  }

  /** Returns the reduced schema of a tool's arguments, which are an object. */
  public static Optional<JsonBytes> ofTool(
      JsonMembers schema, SchemaRules rules, Param path, DroppedFields dropped) {
    return ToolSchema.isOfObject(schema)
        ? reduced(schema, true, rules, path, dropped)
        : Optional.empty();
  }

  /**
   * Returns the reduced schema of a tool that the model is held to; empty if the tool is not
   * strict, or if its schema is better sent whole, as a mere description.
   *
   * @param path of the tool's function
   */
  public static Optional<JsonBytes> ofStrictTool(
      JsonMembers function, SchemaRules rules, Param path, DroppedFields dropped) {
    JsonMembers schema = JsonReads.object(function, "parameters");
    boolean isHeld =
        JsonReads.find(function, "strict", JsonKind.TRUE) >= 0
            && JsonReads.isString(schema, "type", "object")
            && !(rules.closesObjects() && ToolSchema.hasChoices(schema));
    return isHeld ? ofTool(schema, rules, path.dot("parameters"), dropped) : Optional.empty();
  }

  /**
   * Returns a reduced schema, and names what went; empty if it cannot be reduced: it refers to
   * itself, does not say enough of an object, or is too large for its nesting.
   *
   * @param isObject true if the outermost schema must be that of an object
   * @param path of the schema in the request
   */
  private static Optional<JsonBytes> reduced(
      JsonMembers schema, boolean isObject, SchemaRules rules, Param path, DroppedFields dropped) {
    if (readBytes(schema) > READ_BYTES_MAX) {
      return Optional.empty();
    }
    var references = new SchemaReferences(schema);
    Optional<Set<Integer>> optional = optional(references, rules);
    SchemaKeywords root =
        isObject
            ? SchemaKeywords.ofRoot(schema, rules, path, references)
            : SchemaKeywords.of(schema, rules, path);
    if (optional.isEmpty() || !SchemaDemands.areMet(root, isObject, rules)) {
      return Optional.empty();
    }
    ByteBuf json = Unpooled.buffer(schema.objectEnd() - schema.objectStart());
    new SchemaReducer(rules, references, path, optional.get(), dropped, new JsonWriter(json))
        .schema(root, isObject);
    return Optional.of(JsonBytes.raw(json.array(), 0, json.writerIndex()));
  }

  private static long readBytes(JsonMembers schema) {
    int depth = 1;
    for (int i = 0; i < schema.size(); i++) {
      depth = Math.max(depth, schema.depth(i));
    }
    return (long) depth * (schema.objectEnd() - schema.objectStart());
  }

  /** Returns the properties that must not be required; empty if references are refused. */
  private static Optional<Set<Integer>> optional(SchemaReferences references, SchemaRules rules) {
    if (rules.refersAlone()) {
      return SchemaCycles.closing(references);
    }
    return SchemaCycles.areAbsent(references) ? Optional.of(Set.of()) : Optional.empty();
  }

  // One schema

  private void schema(SchemaKeywords schema, boolean isObject) {
    schema.weakened().forEach(dropped::add);
    boolean isReference = filter.isReference(schema);
    String bounds = bounds(schema, isReference);
    out.beginObject();
    if (isObject || (!isReference && isUntypedObject(schema))) {
      out.name("type").string("object");
    }
    for (Keyword keyword : schema.all()) {
      boolean isType = keyword.name().equals("type");
      if (keyword.name().equals(DESCRIPTION) && keyword.kind() == JsonKind.STRING && !isReference) {
        String text = keyword.string();
        out.name(DESCRIPTION).string(bounds.isEmpty() ? text : text + "\n\n" + bounds);
      } else if (!filter.isLeftOut(schema, keyword)
          && !(isType && (isObject || !isType(keyword)))) {
        member(schema, keyword);
      }
    }
    if (!bounds.isEmpty() && schema.get(DESCRIPTION, JsonKind.STRING) == null) {
      out.name(DESCRIPTION).string(bounds);
    }
    if (rules.closesObjects() && schema.isObject() && schema.get(MORE, JsonKind.FALSE) == null) {
      out.name(MORE).bool(false);
    }
    out.endObject();
  }

  private static boolean isUntypedObject(SchemaKeywords schema) {
    return schema.get("properties", JsonKind.OBJECT) != null
        && schema.all().stream().noneMatch(one -> one.name().equals("type") && isType(one));
  }

  /** True if a keyword says a type; some clients write none as null. */
  private static boolean isType(Keyword type) {
    return switch (type.kind()) {
      case STRING -> type.sizeBytes() > 2;
      case ARRAY -> type.array().size() > 0;
      case OBJECT, NUMBER, TRUE, FALSE, NULL -> false;
    };
  }

  /** Names what is refused, and returns it for the description, such as {@code {minimum: 1}}. */
  private String bounds(SchemaKeywords schema, boolean isReference) {
    StringBuilder stated = new StringBuilder();
    for (Keyword keyword : schema.all()) {
      if (!filter.isRefused(schema, keyword) || SchemaFilter.isSilent(keyword, isReference)) {
        continue;
      }
      dropped.add(keyword.at());
      boolean isStated = !isReference && !keyword.name().equals(MORE);
      if (isStated && keyword.sizeBytes() <= STATED_BYTES_MAX) {
        stated.append(stated.isEmpty() ? "{" : ", ").append(keyword.name()).append(": ");
        stated.append(keyword.value());
      }
    }
    return stated.isEmpty() ? "" : stated.append('}').toString();
  }

  // One keyword

  private void member(SchemaKeywords schema, Keyword keyword) {
    switch (keyword.name()) {
      case "type" -> type(keyword);
      case "const" -> constant(keyword);
      case "required" -> required(schema, keyword);
      case "oneOf" -> {
        boolean isKept = rules.knowsOneOf() || schema.has("anyOf");
        out.name(isKept ? "oneOf" : "anyOf"); // one of them is any of them
        value(keyword);
      }
      case "$ref" -> {
        out.name("$ref");
        if (keyword.kind() == JsonKind.STRING) {
          out.string(filter.renamed(keyword.string()));
        } else {
          out.raw(keyword.value());
        }
      }
      default -> {
        out.name(filter.isRenamed(keyword) ? "$defs" : keyword.name());
        value(keyword);
      }
    }
  }

  /** Writes a type, which some clients write in capital letters. */
  private void type(Keyword type) {
    out.name("type");
    String small = type.kind() == JsonKind.STRING ? type.string().toLowerCase(Locale.ROOT) : "";
    if (TYPES.contains(small)) {
      out.string(small);
    } else {
      out.raw(type.value());
    }
  }

  private void constant(Keyword constant) {
    if (rules.knowsConst()) {
      out.name("const").raw(constant.value());
    } else {
      out.name("enum").beginArray().raw(constant.value()).endArray();
    }
  }

  private void required(SchemaKeywords schema, Keyword required) {
    Set<String> left = leftOut(schema);
    out.name("required");
    if (left.isEmpty() || required.kind() != JsonKind.ARRAY) {
      out.raw(required.value());
      return;
    }
    dropped.add(required.at());
    JsonElements names = required.array();
    out.beginArray();
    for (int k = 0; k < names.size(); k++) {
      if (names.kind(k) != JsonKind.STRING || !left.contains(names.string(k))) {
        out.raw(JsonBytes.of(names, k));
      }
    }
    out.endArray();
  }

  /** Returns the properties of a schema that must not be required. */
  private Set<String> leftOut(SchemaKeywords schema) {
    Set<String> left = new HashSet<>();
    JsonMembers properties = optional.isEmpty() ? new JsonMembers() : schema.properties();
    for (int i = 0; i < properties.size(); i++) {
      if (optional.contains(properties.valueStart(i))) {
        left.add(properties.name(i));
      }
    }
    return left;
  }

  private void value(Keyword keyword) {
    if (VALUES.contains(keyword.name())) {
      out.raw(keyword.value());
    } else if (NAMED.contains(keyword.name()) && keyword.kind() == JsonKind.OBJECT) {
      named(keyword.object(), keyword.at());
    } else {
      value(keyword.members(), keyword.i(), keyword.at());
    }
  }

  private void named(JsonMembers schemas, Param path) {
    out.beginObject();
    for (int i = 0; i < schemas.size(); i++) {
      out.name(schemas.name(i));
      if (schemas.kind(i) == JsonKind.TRUE) {
        out.raw(ANYTHING); // providers take no schema that is a mere true
      } else {
        value(schemas, i, path.dot(schemas.name(i)));
      }
    }
    out.endObject();
  }

  private void schema(JsonMembers schema, Param path) {
    SchemaKeywords keywords = SchemaKeywords.of(schema, rules, path);
    if (rules.refersAlone()) {
      keywords.inline(references, root);
    }
    schema(keywords, false);
  }

  private void value(JsonItems items, int i, Param path) {
    switch (items.kind(i)) {
      case OBJECT -> schema(items.object(i), path);
      case ARRAY -> {
        JsonElements elements = items.array(i);
        out.beginArray();
        for (int k = 0; k < elements.size(); k++) {
          value(elements, k, path.at(k));
        }
        out.endArray();
      }
      case STRING, NUMBER, TRUE, FALSE, NULL -> out.raw(JsonBytes.of(items, i));
    }
  }
}
