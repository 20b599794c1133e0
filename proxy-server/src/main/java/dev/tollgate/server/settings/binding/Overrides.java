package dev.tollgate.server.settings.binding;

import dev.tollgate.server.settings.yaml.ConfigNode;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.SourceLocation;
import dev.tollgate.server.settings.yaml.YamlText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Applies settings from environment variables and command line to the YAML tree of the
 * configuration files. A single value is taken as text; for a section or a list the text is parsed
 * as YAML.
 */
public final class Overrides {
  private final SettingType.Section root;
  private final Problems problems;

  public Overrides(SettingType.Section root, Problems problems) {
    this.root = root;
    this.problems = problems;
  }

  public ConfigNode.Mapping apply(ConfigNode.Mapping tree, List<SettingOverride> overrides) {
    ConfigNode.Mapping changed = tree;
    for (SettingOverride override : overrides) {
      changed = set(changed, root, override.path(), override);
    }
    return changed;
  }

  private ConfigNode.Mapping set(
      ConfigNode.Mapping mapping,
      @Nullable SettingType type,
      String path,
      SettingOverride override) {
    String key = firstKey(mapping, path);
    boolean quoted = path.startsWith("\"");
    String rest = path.substring(Math.min(path.length(), key.length() + (quoted ? 2 : 0)));
    SettingType inner = innerType(type, key);
    ConfigNode value;
    if (rest.isEmpty()) {
      value = value(inner, override);
    } else {
      ConfigNode.Entry present = mapping.entries().get(key);
      ConfigNode.Mapping next =
          present != null && present.value() instanceof ConfigNode.Mapping section
              ? section
              : new ConfigNode.Mapping(Map.of(), override.location());
      value = set(next, inner, rest.substring(1), override);
    }
    return mapping.with(new ConfigNode.Entry(key, override.location(), value));
  }

  /** Returns the quoted key, the longest existing key that begins the path, or its first part. */
  private static String firstKey(ConfigNode.Mapping mapping, String path) {
    if (path.startsWith("\"")) {
      int end = path.indexOf('"', 1);
      return path.substring(1, end < 0 ? path.length() : end);
    }
    Optional<String> present =
        mapping.entries().keySet().stream()
            .filter(key -> path.equals(key) || path.startsWith(key + "."))
            .max((a, b) -> Integer.compare(a.length(), b.length()));
    int dot = path.indexOf('.');
    return present.orElse(dot < 0 ? path : path.substring(0, dot));
  }

  /** Returns the type of a key; null if the key is unknown, which the binder reports. */
  static @Nullable SettingType innerType(@Nullable SettingType type, String key) {
    return switch (type) {
      case null -> null;
      case SettingType.Section section -> {
        SettingType.Entry entry = section.entries().get(key);
        yield entry == null ? null : entry.type();
      }
      case SettingType.MapOf map -> map.value();
      case SettingType.Tagged tagged ->
          tagged.sections().values().stream()
              .filter(section -> section.entries().containsKey(key))
              .findFirst()
              .map(section -> innerType(section, key))
              .orElse(null);
      case SettingType.Scalar _, SettingType.ListOf _ -> null;
    };
  }

  private ConfigNode value(@Nullable SettingType type, SettingOverride override) {
    if (type == null || type instanceof SettingType.Scalar) {
      return new ConfigNode.Scalar(override.text(), override.origin(), override.location());
    }
    var unread = new Problems();
    Optional<ConfigNode> node = YamlText.parse("override", override.text(), unread);
    if (node.isEmpty() || !unread.isEmpty()) {
      problems.add(
          override.location(), override.path(), "must be YAML, such as [a, b] or {key: value}");
      return new ConfigNode.Scalar("", ConfigNode.Origin.INVALID, override.location());
    }
    return moved(node.get(), override);
  }

  private static ConfigNode moved(ConfigNode node, SettingOverride override) {
    SourceLocation location = override.location();
    return switch (node) {
      case ConfigNode.Scalar scalar ->
          new ConfigNode.Scalar(
              scalar.text(),
              override.origin() == ConfigNode.Origin.PLAIN ? scalar.origin() : override.origin(),
              location);
      case ConfigNode.Sequence sequence ->
          new ConfigNode.Sequence(
              sequence.items().stream().map(item -> moved(item, override)).toList(), location);
      case ConfigNode.Mapping mapping -> {
        Map<String, ConfigNode.Entry> entries = new LinkedHashMap<>();
        for (ConfigNode.Entry entry : mapping.entries().values()) {
          ConfigNode value = moved(entry.value(), override);
          entries.put(entry.key(), new ConfigNode.Entry(entry.key(), location, value));
        }
        yield new ConfigNode.Mapping(entries, location);
      }
    };
  }
}
