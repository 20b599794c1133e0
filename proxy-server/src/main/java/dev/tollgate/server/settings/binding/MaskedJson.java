package dev.tollgate.server.settings.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Prints the effective configuration as JSON with the keys of the file; secrets are {@code ***}.
 */
public final class MaskedJson {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final Defaults DEFAULTS = new Defaults(Path.of(""));

  private MaskedJson() {}

  /** Returns the JSON text of a record of {@code section}. */
  public static String write(SettingType.Section section, Record value) {
    return json(section, value).toPrettyString();
  }

  private static JsonNode json(SettingType type, @Nullable Object value) {
    if (value == null) {
      return JSON.nullNode();
    }
    return switch (type) {
      case SettingType.Scalar scalar -> plain(scalar.format().print().apply(value));
      case SettingType.ListOf list -> {
        ArrayNode items = JSON.arrayNode();
        ((List<?>) value).forEach(item -> items.add(json(list.item(), item)));
        yield items;
      }
      case SettingType.MapOf map -> {
        ObjectNode entries = JSON.objectNode();
        ((Map<?, ?>) value)
            .forEach((key, entry) -> entries.set(key.toString(), json(map.value(), entry)));
        yield entries;
      }
      case SettingType.Section section -> section(section, value, JSON.objectNode());
      case SettingType.Tagged tagged -> tagged(tagged, value);
    };
  }

  private static JsonNode section(SettingType.Section section, Object value, ObjectNode into) {
    if (section.keyword() != null && new BindResult.Value(value).equals(DEFAULTS.of(section))) {
      return JSON.textNode(section.keyword());
    }
    for (SettingType.Entry entry : section.entries().values()) {
      into.set(entry.key(), json(entry.type(), RecordReflection.component(value, entry.path())));
    }
    return into;
  }

  private static JsonNode tagged(SettingType.Tagged tagged, Object value) {
    for (Map.Entry<String, SettingType.Section> section : tagged.sections().entrySet()) {
      if (section.getValue().type().isInstance(value)) {
        return section(
            section.getValue(), value, JSON.objectNode().put(tagged.key(), section.getKey()));
      }
    }
    throw new AssertionError("a section of no tag: " + value.getClass());
  }

  static JsonNode plain(Object value) {
    return switch (value) {
      case Boolean flag -> JSON.booleanNode(flag);
      case Integer number -> JSON.numberNode(number);
      case Long number -> JSON.numberNode(number);
      case Double number -> JSON.numberNode(number);
      case BigDecimal number -> JSON.numberNode(number);
      default -> JSON.textNode(value.toString());
    };
  }
}
