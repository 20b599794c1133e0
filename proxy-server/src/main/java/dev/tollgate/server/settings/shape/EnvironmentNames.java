package dev.tollgate.server.settings.shape;

import dev.tollgate.server.settings.yaml.Node;
import dev.tollgate.server.settings.yaml.Paths;
import dev.tollgate.server.settings.yaml.Place;
import dev.tollgate.server.settings.yaml.Problems;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the settings that the environment gives: {@code TOLLGATE_STORE__URL} is {@code store.url}.
 * Two underscores part the keys; entries that the operator named are found with {@code _} for every
 * character that a variable cannot hold.
 */
public final class EnvironmentNames {
  private static final String PREFIX = "TOLLGATE_";
  private static final String PARTING = "__";

  private final Shape.Section root;
  private final Problems problems;

  public EnvironmentNames(Shape.Section root, Problems problems) {
    this.root = root;
    this.problems = problems;
  }

  /** The overrides, in the order of the variables' names; unknown names are problems. */
  public List<OutsideSetting> find(Map<String, String> environment, Node.Mapping tree) {
    List<OutsideSetting> found = new ArrayList<>();
    new TreeMap<>(environment)
        .forEach(
            (name, value) -> {
              if (name.startsWith(PREFIX) && name.substring(PREFIX.length()).contains(PARTING)) {
                var place = new Place.InEnvironment(name);
                path(name, tree, place)
                    .ifPresent(
                        path ->
                            found.add(new OutsideSetting(path, value, Node.Origin.OUTSIDE, place)));
              }
            });
    return found;
  }

  private Optional<String> path(String name, Node.Mapping tree, Place place) {
    String path = "";
    Shape shape = root;
    @Nullable Node node = tree;
    for (String segment : name.substring(PREFIX.length()).split(PARTING, -1)) {
      List<String> known = keys(shape, node);
      Optional<String> key = known.stream().filter(k -> variable(k).equals(segment)).findFirst();
      if (key.isEmpty() && shape instanceof Shape.MapOf && !segment.isEmpty()) {
        key = Optional.of(segment.toLowerCase(Locale.ROOT));
      }
      if (key.isEmpty()) {
        String hint =
            DidYouMean.hint(segment, known.stream().map(EnvironmentNames::variable).toList());
        problems.add(place, path, "no such setting" + hint);
        return Optional.empty();
      }
      path = Paths.join(path, key.get().contains(".") ? "\"" + key.get() + "\"" : key.get());
      shape = Overrides.inside(shape, key.get());
      node = inside(node, key.get());
    }
    return Optional.of(path);
  }

  private static List<String> keys(@Nullable Shape shape, @Nullable Node node) {
    return switch (shape) {
      case null -> List.of();
      case Shape.Section section -> List.copyOf(section.entries().keySet());
      case Shape.MapOf _ ->
          node instanceof Node.Mapping mapping
              ? List.copyOf(mapping.entries().keySet())
              : List.of();
      case Shape.Tagged tagged ->
          tagged.sections().values().stream()
              .map(section -> section.entries().keySet())
              .flatMap(Collection::stream)
              .toList();
      case Shape.Scalar _, Shape.ListOf _ -> List.of();
    };
  }

  private static @Nullable Node inside(@Nullable Node node, String key) {
    if (node instanceof Node.Mapping mapping) {
      Node.Entry entry = mapping.entries().get(key);
      return entry == null ? null : entry.value();
    }
    return null;
  }

  private static String variable(String key) {
    return key.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
  }
}
