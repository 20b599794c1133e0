package dev.tollgate.server.settings.shape;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.server.settings.shape.Form.Parsed;
import dev.tollgate.server.settings.yaml.Node;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Writes the JSON Schema (draft 2020-12) of a configuration, for editors. Where a value has a form
 * of its own, an interpolated text is allowed as well.
 */
public final class SchemaWriter {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final Path NO_FOLDER = Path.of("");

  private SchemaWriter() {}

  public static String write(Shape.Section root, String title) {
    ObjectNode schema = JSON.objectNode();
    schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.put("title", title);
    schema.setAll(section(root));
    ObjectNode interpolated = schema.putObject("$defs").putObject("interpolated");
    interpolated.put("type", "string").put("pattern", "\\$\\{.+\\}");
    return schema.toPrettyString();
  }

  private static ObjectNode section(Shape.Section section) {
    ObjectNode schema = JSON.objectNode();
    schema.put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    ArrayNode required = JSON.arrayNode();
    for (Shape.Entry entry : section.entries().values()) {
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

  private static ObjectNode entry(Shape.Entry entry) {
    ObjectNode schema = JSON.objectNode();
    schema.put("description", describe(entry));
    if (entry.initial() != null) {
      schema.set("default", literal(entry.shape(), Defaults.node(entry.initial())));
    } else if (entry.nullable()) {
      schema.putNull("default");
    }
    ObjectNode value = shape(entry.shape());
    bounds(entry, value);
    if (entry.nullable()) {
      either(schema, value, JSON.objectNode().put("type", "null"));
    } else {
      schema.setAll(value);
    }
    return schema;
  }

  private static String describe(Shape.Entry entry) {
    String about = entry.description().about();
    String later =
        entry.later().isEmpty() ? "" : " Does nothing yet: it needs " + entry.later() + ".";
    String restart =
        entry.description().restart() ? " A change takes effect at the next start." : "";
    return Character.toUpperCase(about.charAt(0)) + about.substring(1) + "." + later + restart;
  }

  private static ObjectNode shape(Shape shape) {
    return switch (shape) {
      case Shape.Scalar scalar -> orInterpolated(keywords(scalar.form()));
      case Shape.ListOf list -> list(list);
      case Shape.MapOf map -> {
        ObjectNode schema = JSON.objectNode().put("type", "object");
        schema.set("propertyNames", keywords(map.key()));
        schema.set("additionalProperties", shape(map.value()));
        yield schema;
      }
      case Shape.Section section -> withShortForms(section);
      case Shape.Tagged tagged -> tagged(tagged);
    };
  }

  private static ObjectNode list(Shape.ListOf list) {
    ObjectNode schema = JSON.objectNode().put("type", "array");
    schema.set("items", shape(list.item()));
    return list.single() ? either(JSON.objectNode(), shape(list.item()), schema) : schema;
  }

  private static ObjectNode withShortForms(Shape.Section section) {
    if (section.word() != null) {
      ObjectNode word = JSON.objectNode().put("const", section.word());
      return either(JSON.objectNode(), word, section(section).put("minProperties", 1));
    }
    Shape.Entry meant =
        section.shorthand() == null ? null : section.entries().get(section.shorthand());
    return meant == null
        ? section(section)
        : either(JSON.objectNode(), shape(meant.shape()), section(section));
  }

  private static ObjectNode tagged(Shape.Tagged tagged) {
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

  private static ObjectNode keywords(Form form) {
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

  /** Numbers carry their bounds; of a list, the least count. */
  private static void bounds(Shape.Entry entry, ObjectNode schema) {
    Key key = entry.description();
    if (entry.shape() instanceof Shape.ListOf && !key.min().isEmpty()) {
      ObjectNode list = schema.has("anyOf") ? (ObjectNode) schema.get("anyOf").get(1) : schema;
      list.put("minItems", Integer.parseInt(key.min()));
    }
    if (entry.shape() instanceof Shape.Scalar(Form form) && !key.bytes()) {
      bound(form, key.min(), "minimum", schema);
      bound(form, key.max(), "maximum", schema);
    }
  }

  private static void bound(Form form, String text, String keyword, ObjectNode schema) {
    if (!text.isEmpty()
        && form.parse(text, NO_FOLDER) instanceof Parsed.Ok(Object value)
        && value instanceof Number number
        && schema.path("anyOf").path(0) instanceof ObjectNode numeric) {
      numeric.set(keyword, literal(number));
    }
  }

  /** A default as the file would write it; numbers and switches as such. */
  private static JsonNode literal(Shape shape, Node node) {
    return switch (node) {
      case Node.Scalar scalar -> {
        boolean typed =
            shape instanceof Shape.Scalar(Form form)
                && List.of("integer", "number", "boolean")
                    .contains(form.schema().getOrDefault("type", ""));
        yield typed
                && shape instanceof Shape.Scalar(Form form)
                && form.parse(scalar.text(), NO_FOLDER) instanceof Parsed.Ok(Object value)
            ? MaskedJson.plain(value)
            : JSON.textNode(scalar.text());
      }
      case Node.Sequence sequence -> {
        Shape item = shape instanceof Shape.ListOf list ? list.item() : shape;
        ArrayNode items = JSON.arrayNode();
        sequence.items().forEach(each -> items.add(literal(item, each)));
        yield items;
      }
      case Node.Mapping _ -> JSON.objectNode();
    };
  }
}
