package dev.tollgate.server.settings.shape;

import dev.tollgate.server.settings.yaml.Node;
import dev.tollgate.server.settings.yaml.Place;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.YamlText;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The values of settings that nobody gave: read from their description like any other. */
final class Defaults {
  private final Path folder;

  Defaults(Path folder) {
    this.folder = folder;
  }

  Reading of(Shape.Entry entry) {
    if (entry.initial() != null) {
      return read(entry.shape(), node(entry.initial()));
    }
    if (entry.nullable()) {
      return new Reading.Value(null);
    }
    return switch (entry.shape()) {
      case Shape.ListOf _ -> new Reading.Value(List.of());
      case Shape.MapOf _ -> new Reading.Value(Map.of());
      case Shape.Section section -> of(section);
      case Shape.Scalar _, Shape.Tagged _ ->
          throw new AssertionError("neither required nor with a default: " + entry.key());
    };
  }

  /** The section with every key at its default. */
  Reading of(Shape.Section section) {
    return new Reading.Value(
        Records.create(
            section.type(),
            section.entries().values().stream()
                .map(entry -> ((Reading.Value) of(entry)).value())
                .toList()));
  }

  /** Whether a value promises nothing: the default, or what switches the thing off. */
  boolean isHarmless(Shape.Entry entry, Object value) {
    String off = entry.description().off();
    return (entry.hasDefault() && new Reading.Value(value).equals(of(entry)))
        || (!off.isEmpty() && new Reading.Value(value).equals(read(entry.shape(), node(off))));
  }

  /** A description's YAML as nodes. */
  static Node node(String yaml) {
    if ("'\"[{".indexOf(yaml.charAt(0)) < 0) {
      return new Node.Scalar(yaml, Node.Origin.PLAIN, new Place.BuiltIn());
    }
    return YamlText.parse("default", yaml, new Problems()).orElseThrow();
  }

  private Reading read(Shape shape, Node node) {
    var problems = new Problems();
    Reading reading = new ShapeReader(folder, problems, new Places()).read(shape, node);
    if (!problems.isEmpty()) {
      throw new AssertionError("a default that is no value: " + problems.sorted());
    }
    return reading;
  }
}
