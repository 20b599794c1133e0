package dev.tollgate.server.settings.binding;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What may stand at one place of the configuration. */
public sealed interface SettingType {

  /** A single value. */
  record Scalar(ScalarFormat format) implements SettingType {}

  /**
   * Items in order.
   *
   * @param single whether one item may stand for the list
   */
  record ListOf(SettingType item, boolean single) implements SettingType {}

  /** Entries that the operator names. */
  record MapOf(ScalarFormat key, SettingType value) implements SettingType {}

  /**
   * Fixed keys, held by a record.
   *
   * @param entries by key, in the record's order
   * @param keyword a word that stands for the section with all its defaults
   * @param shorthand the key that a single value is meant for
   */
  record Section(
      Class<? extends Record> type,
      Map<String, Entry> entries,
      @Nullable String keyword,
      @Nullable String shorthand)
      implements SettingType {}

  /**
   * One of several sections.
   *
   * @param key whose value selects the section
   */
  record Tagged(String key, String about, Map<String, Section> sections) implements SettingType {}

  /**
   * One key of a section.
   *
   * @param path record components that lead to the value; several where a component is {@link
   *     Flattened}
   * @param initial the default as YAML; null: there is none beyond null, empty or all defaults
   */
  record Entry(
      String key,
      List<String> path,
      SettingType type,
      boolean required,
      boolean nullable,
      @Nullable String initial,
      Key description) {
    String later() {
      return description.later();
    }

    boolean refused() {
      return description.refused();
    }

    /** Whether reading can go on without a usable value. */
    boolean hasDefault() {
      return !required || initial != null;
    }
  }
}
