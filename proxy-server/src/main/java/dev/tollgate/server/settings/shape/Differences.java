package dev.tollgate.server.settings.shape;

import dev.tollgate.server.settings.yaml.Paths;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds where two configurations differ. */
public final class Differences {

  /**
   * One setting, or one entry, that is not the same.
   *
   * @param restart whether it takes effect only at the next start
   */
  public record Difference(String path, boolean restart) {}

  private final List<Difference> found = new ArrayList<>();

  private Differences() {}

  /** What differs, in the order of the description. */
  public static List<Difference> between(Shape.Section section, Record before, Record after) {
    var differences = new Differences();
    differences.compare(section, before, after, "", false);
    return List.copyOf(differences.found);
  }

  private void compare(
      Shape shape, @Nullable Object before, @Nullable Object after, String path, boolean restart) {
    if (Objects.equals(before, after)) {
      return;
    }
    if (before == null || after == null || !lookInside(shape, before, after, path, restart)) {
      found.add(new Difference(path, restart));
    }
  }

  private boolean lookInside(
      Shape shape, Object before, Object after, String path, boolean restart) {
    return switch (shape) {
      case Shape.Section section -> compareKeys(section, before, after, path, restart);
      case Shape.Tagged tagged ->
          tagged.sections().values().stream()
              .filter(section -> section.type().isInstance(before))
              .filter(section -> section.type().isInstance(after))
              .anyMatch(section -> compareKeys(section, before, after, path, restart));
      case Shape.MapOf map ->
          compareEntries(map, (Map<?, ?>) before, (Map<?, ?>) after, path, restart);
      case Shape.Scalar _, Shape.ListOf _ -> false;
    };
  }

  private boolean compareKeys(
      Shape.Section section, Object before, Object after, String path, boolean restart) {
    for (Shape.Entry entry : section.entries().values()) {
      compare(
          entry.shape(),
          Records.component(before, entry.component()),
          Records.component(after, entry.component()),
          Paths.join(path, entry.key()),
          restart || entry.description().restart());
    }
    return true;
  }

  private boolean compareEntries(
      Shape.MapOf map, Map<?, ?> before, Map<?, ?> after, String path, boolean restart) {
    Set<Object> keys = new LinkedHashSet<>(before.keySet());
    keys.addAll(after.keySet());
    for (Object key : keys) {
      String at = Paths.join(path, key.toString());
      compare(map.value(), before.get(key), after.get(key), at, restart);
    }
    return true;
  }
}
