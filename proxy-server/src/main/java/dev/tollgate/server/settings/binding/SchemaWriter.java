package dev.tollgate.server.settings.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.server.settings.binding.ScalarFormat.Parsed;
import dev.tollgate.server.settings.yaml.ConfigNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Writes the JSON Schema (draft 2020-12) of a configuration, for editors. A value with a pattern or
 * type may also be an interpolated text.
 */
public final class SchemaWriter {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final Path NO_FOLDER = Path.of("");

  private SchemaWriter() {}

  public static String write(SettingType.Section root, String title) {
    ObjectNode schema = JSON.objectNode();
    schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.put("title", title);
    schema.setAll(section(root));
    ObjectNode interpolated = schema.putObject("$defs").putObject("interpolated");
    interpolated.put("type", "string").put("pattern", "\\$\\{.+\\}");
    return schema.toPrettyString();
  }

  private static ObjectNode section(SettingType.Section section) {
    ObjectNode schema = JSON.objectNode();
    schema.put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    ArrayNode required = JSON.arrayNode();
    for (SettingType.Entry entry : section.entries().values()) {
      properties.set(entry.key(), entry(entry));
      if (entry.required()) {
        required.add(entry.key());
      }
    }
    if (!required.isEmpty()) {
      schema.set("required", required);
    }
    return schema.put("additionalProperties", false);
  }

  private static ObjectNode entry(SettingType.Entry entry) {
    ObjectNode schema = JSON.objectNode();
    schema.put("description", describe(entry));
    if (entry.initial() != null) {
      schema.set("default", literal(entry.type(), Defaults.node(entry.initial())));
    } else if (entry.nullable()) {
      schema.putNull("default");
    }
    ObjectNode value = typeSchema(entry.type());
    bounds(entry, value);
    wildcards(entry.description().wildcards(), value);
    if (entry.nullable()) {
      either(schema, value, JSON.objectNode().put("type", "null"));
    } else {
      schema.setAll(value);
    }
    return schema;
  }

  private static void wildcards(Class<? extends Record> type, ObjectNode schema) {
    if (type != Record.class) {
      schema.putObject("patternProperties").set("/\\*$", section(SettingTypes.section(type)));
    }
  }

  private static String describe(SettingType.Entry entry) {
    String about = entry.description().about();
    String later =
        entry.later().isEmpty() ? "" : " Does nothing yet: it needs " + entry.later() + ".";
    String restart =
        entry.description().restart() ? " A change takes effect at the next start." : "";
    return Character.toUpperCase(about.charAt(0)) + about.substring(1) + "." + later + restart;
  }

  private static ObjectNode typeSchema(SettingType type) {
    return switch (type) {
      case SettingType.Scalar scalar -> orInterpolated(keywords(scalar.format()));
      case SettingType.ListOf list -> list(list);
      case SettingType.MapOf map -> {
        ObjectNode schema = JSON.objectNode().put("type", "object");
        schema.set("propertyNames", keywords(map.key()));
        schema.set("additionalProperties", typeSchema(map.value()));
        yield schema;
      }
      case SettingType.Section section -> withShortForms(section);
      case SettingType.Tagged tagged -> tagged(tagged);
    };
  }

  private static ObjectNode list(SettingType.ListOf list) {
    ObjectNode schema = JSON.objectNode().put("type", "array");
    schema.set("items", typeSchema(list.item()));
    return list.single() ? either(JSON.objectNode(), typeSchema(list.item()), schema) : schema;
  }

  private static ObjectNode withShortForms(SettingType.Section section) {
    if (section.keyword() != null) {
      ObjectNode word = JSON.objectNode().put("const", section.keyword());
      return either(JSON.objectNode(), word, section(section).put("minProperties", 1));
    }
    SettingType.Entry target =
        section.shorthand() == null ? null : section.entries().get(section.shorthand());
    return target == null
        ? section(section)
        : either(JSON.objectNode(), typeSchema(target.type()), section(section));
  }

  private static ObjectNode tagged(SettingType.Tagged tagged) {
    ObjectNode schema = JSON.objectNode();
    ArrayNode choices = schema.putArray("oneOf");
    tagged
        .sections()
        .forEach(
            (tag, section) -> {
              ObjectNode choice = section(section);
              ObjectNode key =
                  JSON.objectNode().put("const", tag).put("description", tagged.about());
              ((ObjectNode) choice.get("properties")).set(tagged.key(), key);
              choice.withArray("required").add(tagged.key());
              choices.add(choice);
            });
    return schema;
  }

  private static ObjectNode orInterpolated(ObjectNode keywords) {
    boolean anyText = keywords.size() == 1 && keywords.path("type").asText().equals("string");
    return anyText
        ? keywords
        : either(
            JSON.objectNode(), keywords, JSON.objectNode().put("$ref", "#/$defs/interpolated"));
  }

  private static ObjectNode either(ObjectNode into, JsonNode first, JsonNode second) {
    into.putArray("anyOf").add(first).add(second);
    return into;
  }

  private static ObjectNode keywords(ScalarFormat form) {
    ObjectNode schema = JSON.objectNode();
    form.schema().forEach((keyword, value) -> schema.set(keyword, literal(value)));
    return schema;
  }

  private static JsonNode literal(Object value) {
    return switch (value) {
      case List<?> items -> {
        ArrayNode array = JSON.arrayNode();
        items.forEach(item -> array.add(literal(item)));
        yield array;
      }
      case Map<?, ?> entries -> {
        ObjectNode object = JSON.objectNode();
        entries.forEach((key, item) -> object.set(key.toString(), literal(item)));
        yield object;
      }
      default -> MaskedJson.plain(value);
    };
  }

  /** Adds the bounds of a number, or the least count of a list. */
  private static void bounds(SettingType.Entry entry, ObjectNode schema) {
    Key key = entry.description();
    if (entry.type() instanceof SettingType.ListOf && !key.min().isEmpty()) {
      ObjectNode list = schema.has("anyOf") ? (ObjectNode) schema.get("anyOf").get(1) : schema;
      list.put("minItems", Integer.parseInt(key.min()));
    }
    if (entry.type() instanceof SettingType.Scalar(ScalarFormat form) && !key.bytes()) {
      bound(form, key.min(), "minimum", schema);
      bound(form, key.max(), "maximum", schema);
    }
  }

  private static void bound(ScalarFormat form, String text, String keyword, ObjectNode schema) {
    if (!text.isEmpty()
        && form.parse(text, NO_FOLDER) instanceof Parsed.Ok(Object value)
        && value instanceof Number number
        && schema.path("anyOf").path(0) instanceof ObjectNode numeric) {
      numeric.set(keyword, literal(number));
    }
  }

  /** Returns a default as written in a file; numbers and booleans keep their type. */
  private static JsonNode literal(SettingType type, ConfigNode node) {
    return switch (node) {
      case ConfigNode.Scalar scalar -> {
        boolean typed =
            type instanceof SettingType.Scalar(ScalarFormat form)
                && List.of("integer", "number", "boolean")
                    .contains(form.schema().getOrDefault("type", ""));
        yield typed
                && type instanceof SettingType.Scalar(ScalarFormat form)
                && form.parse(scalar.text(), NO_FOLDER) instanceof Parsed.Ok(Object value)
            ? MaskedJson.plain(value)
            : JSON.textNode(scalar.text());
      }
      case ConfigNode.Sequence sequence -> {
        SettingType item = type instanceof SettingType.ListOf list ? list.item() : type;
        ArrayNode items = JSON.arrayNode();
        sequence.items().forEach(each -> items.add(literal(item, each)));
        yield items;
      }
      case ConfigNode.Mapping _ -> JSON.objectNode();
    };
  }
}
