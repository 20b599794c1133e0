package dev.tollgate.server.settings.shape;

import dev.tollgate.server.settings.yaml.Node;
import dev.tollgate.server.settings.yaml.Place;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.YamlText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Puts settings from outside into the tree of the files. A single value is taken as text; where the
 * shape wants a section or a list, the text is read as YAML.
 */
public final class Overrides {
  private final Shape.Section root;
  private final Problems problems;

  public Overrides(Shape.Section root, Problems problems) {
    this.root = root;
    this.problems = problems;
  }

  public Node.Mapping apply(Node.Mapping tree, List<OutsideSetting> overrides) {
    Node.Mapping changed = tree;
    for (OutsideSetting override : overrides) {
      changed = set(changed, root, override.path(), override);
    }
    return changed;
  }

  private Node.Mapping set(
      Node.Mapping mapping, @Nullable Shape shape, String path, OutsideSetting override) {
    String key = firstKey(mapping, path);
    boolean quoted = path.startsWith("\"");
    String rest = path.substring(Math.min(path.length(), key.length() + (quoted ? 2 : 0)));
    Shape inside = inside(shape, key);
    Node value;
    if (rest.isEmpty()) {
      value = value(inside, override);
    } else {
      Node.Entry present = mapping.entries().get(key);
      Node.Mapping next =
          present != null && present.value() instanceof Node.Mapping section
              ? section
              : new Node.Mapping(Map.of(), override.place());
      value = set(next, inside, rest.substring(1), override);
    }
    return mapping.with(new Node.Entry(key, override.place(), value));
  }

  /** The quoted key, the longest present key that the path begins with, or up to the next dot. */
  private static String firstKey(Node.Mapping mapping, String path) {
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

  /** The shape under a key; null where the key is unknown, which the reader reports. */
  static @Nullable Shape inside(@Nullable Shape shape, String key) {
    return switch (shape) {
      case null -> null;
      case Shape.Section section -> {
        Shape.Entry entry = section.entries().get(key);
        yield entry == null ? null : entry.shape();
      }
      case Shape.MapOf map -> map.value();
      case Shape.Tagged tagged ->
          tagged.sections().values().stream()
              .filter(section -> section.entries().containsKey(key))
              .findFirst()
              .map(section -> inside(section, key))
              .orElse(null);
      case Shape.Scalar _, Shape.ListOf _ -> null;
    };
  }

  private Node value(@Nullable Shape shape, OutsideSetting override) {
    if (shape == null || shape instanceof Shape.Scalar) {
      return new Node.Scalar(override.text(), override.origin(), override.place());
    }
    var unread = new Problems();
    Optional<Node> node = YamlText.parse("override", override.text(), unread);
    if (node.isEmpty() || !unread.isEmpty()) {
      problems.add(
          override.place(), override.path(), "must be YAML, such as [a, b] or {key: value}");
      return new Node.Scalar("", Node.Origin.BROKEN, override.place());
    }
    return moved(node.get(), override);
  }

  private static Node moved(Node node, OutsideSetting override) {
    Place place = override.place();
    return switch (node) {
      case Node.Scalar scalar ->
          new Node.Scalar(
              scalar.text(),
              override.origin() == Node.Origin.PLAIN ? scalar.origin() : override.origin(),
              place);
      case Node.Sequence sequence ->
          new Node.Sequence(
              sequence.items().stream().map(item -> moved(item, override)).toList(), place);
      case Node.Mapping mapping -> {
        Map<String, Node.Entry> entries = new LinkedHashMap<>();
        for (Node.Entry entry : mapping.entries().values()) {
          Node value = moved(entry.value(), override);
          entries.put(entry.key(), new Node.Entry(entry.key(), place, value));
        }
        yield new Node.Mapping(entries, place);
      }
    };
  }
}
