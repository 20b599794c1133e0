package dev.tollgate.server.settings.shape;

import dev.tollgate.server.settings.shape.Form.Parsed;
import dev.tollgate.server.settings.yaml.Node;
import dev.tollgate.server.settings.yaml.Paths;
import dev.tollgate.server.settings.yaml.Place;
import dev.tollgate.server.settings.yaml.Problems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads nodes by their shape. Every problem is reported and reading goes on: a setting that cannot
 * be read takes its default, an entry without one is left out, so that later checks see the rest.
 */
public final class ShapeReader {
  private static final Reading HOLE = new Reading.Hole();

  private final Path folder;
  private final Problems problems;
  private final Places places;
  private final Defaults defaults;

  /** Relative paths start at {@code folder}. */
  public ShapeReader(Path folder, Problems problems, Places places) {
    this.folder = folder;
    this.problems = problems;
    this.places = places;
    this.defaults = new Defaults(folder);
  }

  /**
   * Where something is read.
   *
   * @param owner the key that names it: where a missing part is reported
   * @param later what has to exist before anything but a default is accepted; empty: nothing
   */
  private record At(String path, Place owner, String later) {
    At key(String key, Place keyPlace) {
      return new At(Paths.join(path, key), keyPlace, later);
    }
  }

  /** The value that {@code node} describes. */
  public Reading read(Shape shape, Node node) {
    return read(shape, node, new At("", node.place(), ""));
  }

  private Reading read(Shape shape, Node node, At at) {
    places.put(at.path, node.place());
    if (node instanceof Node.Scalar scalar && scalar.origin() == Node.Origin.BROKEN) {
      return HOLE;
    }
    return switch (shape) {
      case Shape.Scalar single -> scalar(single.form(), node, at);
      case Shape.ListOf list -> list(list, node, at);
      case Shape.MapOf map -> map(map, node, at);
      case Shape.Section section -> section(section, node, at);
      case Shape.Tagged tagged -> tagged(tagged, node, at);
    };
  }

  private Reading scalar(Form form, Node node, At at) {
    if (!(node instanceof Node.Scalar scalar)) {
      return refuse(node, at, "must be " + form.expects() + ", not " + kind(node));
    }
    return switch (form.parse(scalar.text(), folder)) {
      case Parsed.Ok ok -> new Reading.Value(ok.value());
      case Parsed.Refused refused -> refuse(node, at, refused.reason());
      case Parsed.Unfit _ -> {
        boolean shown = scalar.mayBeShown() && !form.secret();
        String hint = shown ? DidYouMean.hint(scalar.text(), words(form)) : "";
        String quote = shown ? ", not \"" + scalar.text() + "\"" : "";
        yield refuse(node, at, "must be " + form.expects() + quote + hint);
      }
    };
  }

  private static List<String> words(Form form) {
    return form.schema().get("enum") instanceof List<?> names
        ? names.stream().map(Object::toString).toList()
        : List.of();
  }

  private Reading list(Shape.ListOf list, Node node, At at) {
    if (!(node instanceof Node.Sequence sequence)) {
      if (!list.single()) {
        return refuse(node, at, "must be a list, not " + kind(node));
      }
      Reading only = read(list.item(), node, at);
      return only instanceof Reading.Value(Object value) && value != null
          ? new Reading.Value(List.of(value))
          : only;
    }
    List<Object> items = new ArrayList<>();
    for (int i = 0; i < sequence.items().size(); i++) {
      Node item = sequence.items().get(i);
      At itemAt = new At(Paths.item(at.path, i), item.place(), at.later);
      if (read(list.item(), item, itemAt) instanceof Reading.Value(Object value) && value != null) {
        items.add(value);
      }
    }
    return new Reading.Value(Collections.unmodifiableList(items));
  }

  private Reading map(Shape.MapOf map, Node node, At at) {
    if (!(node instanceof Node.Mapping mapping)) {
      return refuse(node, at, "must be a section of named entries, not " + kind(node));
    }
    Map<Object, Object> entries = new LinkedHashMap<>();
    for (Node.Entry entry : mapping.entries().values()) {
      At entryAt = at.key(entry.key(), entry.keyPlace());
      Reading value = read(map.value(), entry.value(), entryAt);
      switch (map.key().parse(entry.key(), folder)) {
        case Parsed.Ok key -> {
          if (value instanceof Reading.Value(Object present) && present != null) {
            entries.put(key.value(), present);
          }
        }
        case Parsed.Refused refused ->
            problems.add(entry.keyPlace(), entryAt.path, refused.reason());
        case Parsed.Unfit _ ->
            problems.add(entry.keyPlace(), entryAt.path, "the key must be " + map.key().expects());
      }
    }
    return new Reading.Value(Collections.unmodifiableMap(entries));
  }

  private Reading tagged(Shape.Tagged tagged, Node node, At at) {
    if (!(node instanceof Node.Mapping mapping)) {
      return refuse(node, at, "must be a section, not " + kind(node));
    }
    String available = String.join(", ", tagged.sections().keySet());
    Node.Entry tag = mapping.entries().get(tagged.key());
    if (tag == null) {
      problems.add(at.owner, Paths.join(at.path, tagged.key()), "is missing: one of " + available);
      return HOLE;
    }
    At tagAt = at.key(tagged.key(), tag.keyPlace());
    places.put(tagAt.path, tag.value().place());
    if (!(tag.value() instanceof Node.Scalar scalar)) {
      return refuse(tag.value(), tagAt, "must be one of " + available);
    }
    Shape.Section section = tagged.sections().get(scalar.text());
    if (section != null) {
      return section(section, mapping.without(tagged.key()), at);
    }
    if (scalar.origin() == Node.Origin.BROKEN) {
      return HOLE;
    }
    String hint =
        scalar.mayBeShown() ? DidYouMean.hint(scalar.text(), tagged.sections().keySet()) : "";
    return refuse(tag.value(), tagAt, "must be one of " + available + hint);
  }

  private Reading section(Shape.Section section, Node node, At at) {
    if (node instanceof Node.Scalar scalar) {
      if (scalar.text().equals(section.word())) {
        return defaults.of(section);
      }
      if (section.shorthand() != null) {
        var place = scalar.place();
        var entry = new Node.Entry(section.shorthand(), place, scalar);
        return section(section, new Node.Mapping(Map.of(entry.key(), entry), place), at);
      }
    }
    String word = section.word() == null ? "" : "the word " + section.word() + " or ";
    if (!(node instanceof Node.Mapping mapping)) {
      return refuse(node, at, "must be " + word + "a section of keys, not " + kind(node));
    }
    if (mapping.entries().isEmpty() && section.word() != null) {
      return refuse(node, at, "must be " + word + "a section with at least one key");
    }
    reportUnknownKeys(section, mapping, at);
    List<@Nullable Object> values = new ArrayList<>();
    boolean whole = true;
    for (Shape.Entry entry : section.entries().values()) {
      Reading reading = entry(entry, mapping.entries().get(entry.key()), at);
      whole &= reading instanceof Reading.Value;
      values.add(reading instanceof Reading.Value(Object value) ? value : null);
    }
    return whole ? new Reading.Value(Records.create(section.type(), values)) : HOLE;
  }

  private void reportUnknownKeys(Shape.Section section, Node.Mapping mapping, At at) {
    for (Node.Entry entry : mapping.entries().values()) {
      if (!section.entries().containsKey(entry.key())) {
        String hint = DidYouMean.hint(entry.key(), section.entries().keySet());
        problems.add(entry.keyPlace(), Paths.join(at.path, entry.key()), "unknown key" + hint);
      }
    }
  }

  private Reading entry(Shape.Entry entry, Node.@Nullable Entry given, At section) {
    String path = Paths.join(section.path, entry.key());
    if (given == null) {
      if (entry.required()) {
        String write = entry.initial() == null ? "" : ": write " + entry.initial();
        problems.add(section.owner, path, "is missing" + write);
      }
      return entry.hasDefault() ? defaults.of(entry) : HOLE;
    }
    String later = entry.later().isEmpty() ? section.later : entry.later();
    var at = new At(path, given.keyPlace(), later);
    Reading reading =
        isNull(given.value(), entry) ? nothing(entry, given, at) : given(entry, given, at);
    return reading instanceof Reading.Hole && entry.hasDefault() ? defaults.of(entry) : reading;
  }

  private static boolean isNull(Node node, Shape.Entry entry) {
    // An empty variable is an empty text where text is wanted, and nothing where that is allowed.
    return node instanceof Node.Scalar scalar
        && scalar.isNull()
        && (entry.nullable() || scalar.origin() == Node.Origin.PLAIN);
  }

  private Reading nothing(Shape.Entry entry, Node.Entry given, At at) {
    places.put(at.path, given.value().place());
    if (entry.nullable()) {
      return new Reading.Value(null);
    }
    String instead =
        entry.initial() == null ? "" : "; leave it out for the default " + entry.initial();
    return refuse(given.value(), at, "must not be empty" + instead);
  }

  private Reading given(Shape.Entry entry, Node.Entry given, At at) {
    // What is inside a section of defaults is compared there, one by one.
    boolean inside = entry.shape() instanceof Shape.Section && !entry.nullable();
    Reading reading =
        read(entry.shape(), given.value(), inside ? at : new At(at.path, at.owner, ""));
    if (!(reading instanceof Reading.Value(Object value)) || value == null) {
      return reading;
    }
    String outOfRange = Range.complaint(entry, value, folder);
    if (!outOfRange.isEmpty()) {
      return refuse(given.value(), at, outOfRange);
    }
    if (!at.later.isEmpty() && !inside && !defaults.isHarmless(entry, value)) {
      String message = "is not available yet: it needs " + at.later;
      if (entry.refused()) {
        return refuse(given.value(), at, message);
      }
      problems.warn(given.value().place(), at.path, message);
    }
    return reading;
  }

  private Reading refuse(Node node, At at, String message) {
    problems.add(node.place(), at.path, message);
    return HOLE;
  }

  private static String kind(Node node) {
    return switch (node) {
      case Node.Mapping _ -> "a section";
      case Node.Sequence _ -> "a list";
      case Node.Scalar scalar -> scalar.isNull() ? "nothing" : "a single value";
    };
  }
}
