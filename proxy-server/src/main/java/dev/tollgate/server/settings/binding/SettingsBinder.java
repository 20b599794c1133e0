package dev.tollgate.server.settings.binding;

import dev.tollgate.server.settings.binding.ScalarFormat.Parsed;
import dev.tollgate.server.settings.yaml.ConfigNode;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.SettingPaths;
import dev.tollgate.server.settings.yaml.SourceLocation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Binds YAML nodes to settings records. Problems are reported and do not stop the binding: an
 * invalid setting gets its default, an entry without one is left out, so that later checks see the
 * rest.
 */
public final class SettingsBinder {
  private static final BindResult REJECTED = new BindResult.Rejected();

  private final Path folder;
  private final Problems problems;
  private final SourceLocations locations;
  private final Defaults defaults;

  /** Creates a binder; relative paths start at {@code folder}. */
  public SettingsBinder(Path folder, Problems problems, SourceLocations locations) {
    this.folder = folder;
    this.problems = problems;
    this.locations = locations;
    this.defaults = new Defaults(folder);
  }

  /**
   * Position of the node that is being bound.
   *
   * @param owner location of its key: a missing part is reported there
   * @param pendingFeature missing feature that every value except a default needs; empty if there
   *     is none
   */
  private record Context(String path, SourceLocation owner, String pendingFeature) {
    Context key(String key, SourceLocation keyLocation) {
      return new Context(SettingPaths.join(path, key), keyLocation, pendingFeature);
    }
  }

  /** Returns the value of {@code node} as {@code type}, or reports why it has none. */
  public BindResult read(SettingType type, ConfigNode node) {
    return read(type, node, new Context("", node.location(), ""));
  }

  /**
   * Returns the value of {@code node} as a section of which some keys are read alone; the others
   * are null.
   */
  public BindResult readPart(
      SettingType.Section type, ConfigNode.Mapping node, Predicate<String> isRead) {
    return keys(type, node, new Context("", node.location(), ""), isRead);
  }

  private BindResult read(SettingType type, ConfigNode node, Context context) {
    locations.put(context.path, node.location());
    if (node instanceof ConfigNode.Scalar scalar && scalar.origin() == ConfigNode.Origin.INVALID) {
      return REJECTED;
    }
    return switch (type) {
      case SettingType.Scalar single -> scalar(single.format(), node, context);
      case SettingType.ListOf list -> list(list, node, context);
      case SettingType.MapOf map -> map(map, node, context);
      case SettingType.Section section -> section(section, node, context);
      case SettingType.Tagged tagged -> tagged(tagged, node, context);
    };
  }

  private BindResult scalar(ScalarFormat form, ConfigNode node, Context context) {
    if (!(node instanceof ConfigNode.Scalar scalar)) {
      return refuse(node, context, "must be " + form.expects() + ", not " + kind(node));
    }
    return switch (form.parse(scalar.text(), folder)) {
      case Parsed.Ok ok -> new BindResult.Value(ok.value());
      case Parsed.Refused refused -> refuse(node, context, refused.reason());
      case Parsed.Mismatch _ -> {
        boolean shown = scalar.mayBeShown() && !form.secret();
        String hint = shown ? DidYouMean.hint(scalar.text(), words(form)) : "";
        String quote = shown ? ", not \"" + scalar.text() + "\"" : "";
        yield refuse(node, context, "must be " + form.expects() + quote + hint);
      }
    };
  }

  private static List<String> words(ScalarFormat form) {
    return form.schema().get("enum") instanceof List<?> names
        ? names.stream().map(Object::toString).toList()
        : List.of();
  }

  private BindResult list(SettingType.ListOf list, ConfigNode node, Context context) {
    if (!(node instanceof ConfigNode.Sequence sequence)) {
      if (!list.single()) {
        return refuse(node, context, "must be a list, not " + kind(node));
      }
      BindResult only = read(list.item(), node, context);
      return only instanceof BindResult.Value(Object value) && value != null
          ? new BindResult.Value(List.of(value))
          : only;
    }
    List<Object> items = new ArrayList<>();
    for (int i = 0; i < sequence.items().size(); i++) {
      ConfigNode item = sequence.items().get(i);
      Context itemAt =
          new Context(SettingPaths.item(context.path, i), item.location(), context.pendingFeature);
      if (read(list.item(), item, itemAt) instanceof BindResult.Value(Object value)
          && value != null) {
        items.add(value);
      }
    }
    return new BindResult.Value(Collections.unmodifiableList(items));
  }

  private BindResult map(SettingType.MapOf map, ConfigNode node, Context context) {
    if (!(node instanceof ConfigNode.Mapping mapping)) {
      return refuse(node, context, "must be a section of named entries, not " + kind(node));
    }
    Map<Object, Object> entries = new LinkedHashMap<>();
    for (ConfigNode.Entry entry : mapping.entries().values()) {
      Context entryAt = context.key(entry.key(), entry.keyLocation());
      BindResult value = read(map.value(), entry.value(), entryAt);
      switch (map.key().parse(entry.key(), folder)) {
        case Parsed.Ok key -> {
          if (value instanceof BindResult.Value(Object present) && present != null) {
            entries.put(key.value(), present);
          }
        }
        case Parsed.Refused refused ->
            problems.add(entry.keyLocation(), entryAt.path, refused.reason());
        case Parsed.Mismatch _ ->
            problems.add(
                entry.keyLocation(), entryAt.path, "the key must be " + map.key().expects());
      }
    }
    return new BindResult.Value(Collections.unmodifiableMap(entries));
  }

  private BindResult tagged(SettingType.Tagged tagged, ConfigNode node, Context context) {
    if (!(node instanceof ConfigNode.Mapping mapping)) {
      return refuse(node, context, "must be a section, not " + kind(node));
    }
    String available = String.join(", ", tagged.sections().keySet());
    ConfigNode.Entry tag = mapping.entries().get(tagged.key());
    if (tag == null) {
      problems.add(
          context.owner,
          SettingPaths.join(context.path, tagged.key()),
          "is missing: one of " + available);
      return REJECTED;
    }
    Context tagAt = context.key(tagged.key(), tag.keyLocation());
    locations.put(tagAt.path, tag.value().location());
    if (!(tag.value() instanceof ConfigNode.Scalar scalar)) {
      return refuse(tag.value(), tagAt, "must be one of " + available);
    }
    SettingType.Section section = tagged.sections().get(scalar.text());
    if (section != null) {
      return section(section, mapping.without(tagged.key()), context);
    }
    if (scalar.origin() == ConfigNode.Origin.INVALID) {
      return REJECTED;
    }
    String hint =
        scalar.mayBeShown() ? DidYouMean.hint(scalar.text(), tagged.sections().keySet()) : "";
    return refuse(tag.value(), tagAt, "must be one of " + available + hint);
  }

  private BindResult section(SettingType.Section section, ConfigNode node, Context context) {
    if (node instanceof ConfigNode.Scalar scalar) {
      if (scalar.text().equals(section.keyword())) {
        return defaults.of(section);
      }
      if (section.shorthand() != null) {
        var location = scalar.location();
        var entry = new ConfigNode.Entry(section.shorthand(), location, scalar);
        return section(
            section, new ConfigNode.Mapping(Map.of(entry.key(), entry), location), context);
      }
    }
    String word = section.keyword() == null ? "" : "the word " + section.keyword() + " or ";
    if (!(node instanceof ConfigNode.Mapping mapping)) {
      return refuse(node, context, "must be " + word + "a section of keys, not " + kind(node));
    }
    if (mapping.entries().isEmpty() && section.keyword() != null) {
      return refuse(node, context, "must be " + word + "a section with at least one key");
    }
    return keys(section, mapping, context, _ -> true);
  }

  private BindResult keys(
      SettingType.Section section,
      ConfigNode.Mapping mapping,
      Context context,
      Predicate<String> isRead) {
    reportUnknownKeys(section, mapping, context);
    List<@Nullable Object> values = new ArrayList<>();
    boolean isComplete = true;
    for (SettingType.Entry entry : section.entries().values()) {
      if (!isRead.test(entry.key())) {
        values.add(null);
        continue;
      }
      BindResult reading = entry(entry, mapping.entries().get(entry.key()), context);
      isComplete &= reading instanceof BindResult.Value;
      values.add(reading instanceof BindResult.Value(Object value) ? value : null);
    }
    return isComplete
        ? new BindResult.Value(RecordReflection.create(section.type(), values))
        : REJECTED;
  }

  private void reportUnknownKeys(
      SettingType.Section section, ConfigNode.Mapping mapping, Context context) {
    for (ConfigNode.Entry entry : mapping.entries().values()) {
      if (!section.entries().containsKey(entry.key())) {
        String hint = DidYouMean.hint(entry.key(), section.entries().keySet());
        problems.add(
            entry.keyLocation(),
            SettingPaths.join(context.path, entry.key()),
            "unknown key" + hint);
      }
    }
  }

  private BindResult entry(
      SettingType.Entry entry, ConfigNode.@Nullable Entry present, Context section) {
    String path = SettingPaths.join(section.path, entry.key());
    if (present == null) {
      if (entry.required()) {
        String write = entry.initial() == null ? "" : ": write " + entry.initial();
        problems.add(section.owner, path, "is missing" + write);
      }
      return entry.hasDefault() ? defaults.of(entry) : REJECTED;
    }
    String later = entry.later().isEmpty() ? section.pendingFeature : entry.later();
    var context = new Context(path, present.keyLocation(), later);
    BindResult reading =
        isNull(present.value(), entry)
            ? bindNull(entry, present, context)
            : bindPresent(entry, present, context);
    return reading instanceof BindResult.Rejected && entry.hasDefault()
        ? defaults.of(entry)
        : reading;
  }

  private static boolean isNull(ConfigNode node, SettingType.Entry entry) {
    // An empty variable is null if the key is nullable, otherwise an empty text.
    return node instanceof ConfigNode.Scalar scalar
        && scalar.isNull()
        && !keepsEmpty(scalar, entry)
        && (entry.nullable() || scalar.origin() == ConfigNode.Origin.PLAIN);
  }

  private static boolean keepsEmpty(ConfigNode.Scalar scalar, SettingType.Entry entry) {
    return entry.description().keepsEmpty()
        && scalar.origin() == ConfigNode.Origin.EXTERNAL
        && scalar.text().isEmpty();
  }

  private BindResult bindNull(SettingType.Entry entry, ConfigNode.Entry present, Context context) {
    locations.put(context.path, present.value().location());
    if (entry.nullable()) {
      return new BindResult.Value(null);
    }
    String instead =
        entry.initial() == null ? "" : "; leave it out for the default " + entry.initial();
    return refuse(present.value(), context, "must not be empty" + instead);
  }

  private BindResult bindPresent(
      SettingType.Entry entry, ConfigNode.Entry present, Context context) {
    // The keys of a section with defaults are compared one by one, inside of it.
    boolean inside = entry.type() instanceof SettingType.Section && !entry.nullable();
    BindResult reading =
        read(
            entry.type(),
            present.value(),
            inside ? context : new Context(context.path, context.owner, ""));
    if (!(reading instanceof BindResult.Value(Object value)) || value == null) {
      return reading;
    }
    String outOfRange = RangeCheck.violation(entry, value, folder);
    if (!outOfRange.isEmpty() && !problems.hasProblemAt(context.path)) { // of an item, mostly
      return refuse(present.value(), context, outOfRange);
    }
    if (!context.pendingFeature.isEmpty() && !inside && !defaults.isDefaultOrOff(entry, value)) {
      String message = "is not available yet: it needs " + context.pendingFeature;
      if (entry.refused()) {
        return refuse(present.value(), context, message);
      }
      problems.warn(present.value().location(), context.path, message);
    }
    return reading;
  }

  private BindResult refuse(ConfigNode node, Context context, String message) {
    problems.add(node.location(), context.path, message);
    return REJECTED;
  }

  private static String kind(ConfigNode node) {
    return switch (node) {
      case ConfigNode.Mapping _ -> "a section";
      case ConfigNode.Sequence _ -> "a list";
      case ConfigNode.Scalar scalar -> scalar.isNull() ? "nothing" : "a single value";
    };
  }
}
