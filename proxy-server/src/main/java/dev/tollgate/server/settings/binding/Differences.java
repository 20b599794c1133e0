package dev.tollgate.server.settings.binding;

import dev.tollgate.server.settings.yaml.SettingPaths;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Comparison of two bound configurations, which lists the paths of settings that differ. */
public final class Differences {

  /**
   * Path of a setting or entry that differs.
   *
   * @param restart true if a change takes effect only at the next start
   */
  public record Difference(String path, boolean restart) {}

  private final List<Difference> found = new ArrayList<>();

  private Differences() {}

  /** Returns the differences in the order of the description. */
  public static List<Difference> between(SettingType.Section section, Record before, Record after) {
    var differences = new Differences();
    differences.compare(section, before, after, "", false);
    return List.copyOf(differences.found);
  }

  private void compare(
      SettingType type,
      @Nullable Object before,
      @Nullable Object after,
      String path,
      boolean restart) {
    if (Objects.equals(before, after)) {
      return;
    }
    if (before == null || after == null || !compareInside(type, before, after, path, restart)) {
      found.add(new Difference(path, restart));
    }
  }

  private boolean compareInside(
      SettingType type, Object before, Object after, String path, boolean restart) {
    return switch (type) {
      case SettingType.Section section -> compareKeys(section, before, after, path, restart);
      case SettingType.Tagged tagged ->
          tagged.sections().values().stream()
              .filter(section -> section.type().isInstance(before))
              .filter(section -> section.type().isInstance(after))
              .anyMatch(section -> compareKeys(section, before, after, path, restart));
      case SettingType.MapOf map ->
          compareEntries(map, (Map<?, ?>) before, (Map<?, ?>) after, path, restart);
      case SettingType.Scalar _, SettingType.ListOf _ -> false;
    };
  }

  private boolean compareKeys(
      SettingType.Section section, Object before, Object after, String path, boolean restart) {
    for (SettingType.Entry entry : section.entries().values()) {
      compare(
          entry.type(),
          RecordReflection.component(before, entry.path()),
          RecordReflection.component(after, entry.path()),
          SettingPaths.join(path, entry.key()),
          restart || entry.description().restart());
    }
    return true;
  }

  private boolean compareEntries(
      SettingType.MapOf map, Map<?, ?> before, Map<?, ?> after, String path, boolean restart) {
    Set<Object> keys = new LinkedHashSet<>(before.keySet());
    keys.addAll(after.keySet());
    for (Object key : keys) {
      String at = SettingPaths.join(path, key.toString());
      compare(map.value(), before.get(key), after.get(key), at, restart);
    }
    return true;
  }
}
