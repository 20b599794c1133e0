package dev.tollgate.server.settings.binding;

import dev.tollgate.server.settings.yaml.ConfigNode;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.SourceLocation;
import dev.tollgate.server.settings.yaml.YamlText;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Default values of settings that the configuration omits, parsed from the {@link Key} annotations.
 */
final class Defaults {
  private final Path folder;

  Defaults(Path folder) {
    this.folder = folder;
  }

  BindResult of(SettingType.Entry entry) {
    if (entry.initial() != null) {
      return read(entry.type(), node(entry.initial()));
    }
    if (entry.nullable()) {
      return new BindResult.Value(null);
    }
    return switch (entry.type()) {
      case SettingType.ListOf _ -> new BindResult.Value(List.of());
      case SettingType.MapOf _ -> new BindResult.Value(Map.of());
      case SettingType.Section section -> of(section);
      case SettingType.Scalar _, SettingType.Tagged _ ->
          throw new AssertionError("neither required nor with a default: " + entry.key());
    };
  }

  /** Returns the section with every key at its default. */
  BindResult of(SettingType.Section section) {
    return new BindResult.Value(
        RecordReflection.create(
            section.type(),
            section.entries().values().stream()
                .map(entry -> ((BindResult.Value) of(entry)).value())
                .toList()));
  }

  /** True if a value needs no feature: it is the default, or it switches the feature off. */
  boolean isDefaultOrOff(SettingType.Entry entry, Object value) {
    String off = entry.description().off();
    return (entry.hasDefault() && new BindResult.Value(value).equals(of(entry)))
        || (!off.isEmpty() && new BindResult.Value(value).equals(read(entry.type(), node(off))));
  }

  /** Returns the YAML of a description as nodes. */
  static ConfigNode node(String yaml) {
    if ("'\"[{".indexOf(yaml.charAt(0)) < 0) {
      return new ConfigNode.Scalar(yaml, ConfigNode.Origin.PLAIN, new SourceLocation.BuiltIn());
    }
    return YamlText.parse("default", yaml, new Problems()).orElseThrow();
  }

  private BindResult read(SettingType type, ConfigNode node) {
    var problems = new Problems();
    BindResult reading =
        new SettingsBinder(folder, problems, new SourceLocations()).read(type, node);
    if (!problems.isEmpty()) {
      throw new AssertionError("a default that is no value: " + problems.sorted());
    }
    return reading;
  }
}
