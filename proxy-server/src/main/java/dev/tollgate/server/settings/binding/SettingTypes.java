package dev.tollgate.server.settings.binding;

import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Derives the {@link SettingType} tree of a configuration by reflection on its annotated records.
 */
public final class SettingTypes {
  private SettingTypes() {}

  /** Returns the section that a record describes. */
  public static SettingType.Section section(Class<? extends Record> type) {
    Map<String, SettingType.Entry> entries = new LinkedHashMap<>();
    addEntries(type, List.of(), entries);
    Keyword keyword = type.getAnnotation(Keyword.class);
    Shorthand shorthand = type.getAnnotation(Shorthand.class);
    return new SettingType.Section(
        type,
        Collections.unmodifiableMap(entries),
        keyword == null ? null : keyword.value(),
        shorthand == null ? null : shorthand.value());
  }

  private static void addEntries(
      Class<?> type, List<String> outer, Map<String, SettingType.Entry> into) {
    for (RecordComponent component : type.getRecordComponents()) {
      List<String> path = Stream.concat(outer.stream(), Stream.of(component.getName())).toList();
      if (component.isAnnotationPresent(Flattened.class)) {
        addEntries(component.getType(), path, into);
      } else {
        SettingType.Entry entry = entry(component, path);
        into.put(entry.key(), entry);
      }
    }
  }

  private static SettingType.Entry entry(RecordComponent component, List<String> path) {
    Key key = Objects.requireNonNull(component.getAnnotation(Key.class), component::toString);
    String name = key.name().isEmpty() ? snakeCase(component.getName()) : key.name();
    AnnotatedType type = component.getAnnotatedType();
    return new SettingType.Entry(
        name,
        path,
        new SettingType.DerivedType(() -> typeOf(component.getGenericType(), key)),
        key.required(),
        type.isAnnotationPresent(Nullable.class),
        key.initial().isEmpty() ? null : key.initial(),
        key);
  }

  private static SettingType typeOf(Type type, Key key) {
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      return generic.getRawType() == List.class
          ? new SettingType.ListOf(typeOf(arguments[0], key), key.single())
          : new SettingType.MapOf(
              ScalarFormats.of((Class<?>) arguments[0], key), typeOf(arguments[1], key));
    }
    Class<?> plain = (Class<?>) type;
    TaggedBy tagged = plain.getAnnotation(TaggedBy.class);
    if (tagged != null) {
      return tagged(plain, tagged);
    }
    return isSection(plain)
        ? section(plain.asSubclass(Record.class))
        : new SettingType.Scalar(ScalarFormats.of(plain, key));
  }

  private static boolean isSection(Class<?> type) {
    return type.isRecord()
        && (type.getRecordComponents()[0].isAnnotationPresent(Key.class)
            || type.getRecordComponents()[0].isAnnotationPresent(Flattened.class));
  }

  private static SettingType tagged(Class<?> type, TaggedBy tagged) {
    Map<String, SettingType.Section> sections = new LinkedHashMap<>();
    for (Class<?> permitted : type.getPermittedSubclasses()) {
      Tag tag = Objects.requireNonNull(permitted.getAnnotation(Tag.class), permitted::toString);
      sections.put(tag.value(), section(permitted.asSubclass(Record.class)));
    }
    return new SettingType.Tagged(
        tagged.value(), tagged.about(), Collections.unmodifiableMap(sections));
  }

  private static String snakeCase(String name) {
    return name.replaceAll("([a-z0-9])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT);
  }
}
