package dev.tollgate.server.settings.binding;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Type of a configuration node: scalar, list, map, section, or one of several tagged sections. */
public sealed interface SettingType {

  /** Type that is derived when it is first asked for. */
  final class DerivedType {
    private final Supplier<SettingType> derivation;
    private volatile @Nullable SettingType type;

    DerivedType(Supplier<SettingType> derivation) {
      this.derivation = derivation;
    }

    SettingType get() {
      SettingType known = type;
      if (known == null) {
        known = derivation.get();
        type = known;
      }
      return known;
    }
  }

  /** Scalar value such as a number, duration or URL. */
  record Scalar(ScalarFormat format) implements SettingType {}

  /**
   * List of items of one type.
   *
   * @param single true if one item may be written for a list of one
   */
  record ListOf(SettingType item, boolean single) implements SettingType {}

  /** Map whose keys are names that the operator chooses. */
  record MapOf(ScalarFormat key, SettingType value) implements SettingType {}

  /**
   * Section with fixed keys, bound to a record.
   *
   * @param entries by key, in the record's order
   * @param keyword word that is written for the section with all defaults
   * @param shorthand key of a single value that is written for the whole section
   */
  record Section(
      Class<? extends Record> type,
      Map<String, Entry> entries,
      @Nullable String keyword,
      @Nullable String shorthand)
      implements SettingType {}

  /**
   * One of several sections, selected by the value of a key.
   *
   * @param key selects the section by its value
   */
  record Tagged(String key, String about, Map<String, Section> sections) implements SettingType {}

  /**
   * Key of a section.
   *
   * @param path record components that lead to the value; several where a component is {@link
   *     Flattened}
   * @param derived derives the type once it is asked for: most commands read a few sections
   * @param initial the default as YAML; null stands for the value null, an empty collection, or all
   *     defaults
   */
  record Entry(
      String key,
      List<String> path,
      DerivedType derived,
      boolean required,
      boolean nullable,
      @Nullable String initial,
      Key description) {
    SettingType type() {
      return derived.get();
    }

    String later() {
      return description.later();
    }

    boolean refused() {
      return description.refused();
    }

    /** True if a value that is missing or not usable has a substitute. */
    boolean hasDefault() {
      return !required || initial != null;
    }
  }
}
