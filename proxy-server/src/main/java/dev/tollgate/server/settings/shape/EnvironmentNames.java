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
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the settings that the environment gives: {@code TOLLGATE_STORE__URL} is {@code store.url}.
 * Two underscores part the keys; entries that the operator named are found with {@code _} for every
 * character that a variable cannot hold. A variable of ours that is no setting is a problem: it was
 * meant to have an effect.
 */
public final class EnvironmentNames {
  private static final String PREFIX = "TOLLGATE_";
  private static final String PARTING = "__";

  /** Read by the launcher and by the log. */
  private static final Set<String> NO_SETTINGS =
      Set.of("TOLLGATE_JAVA", "TOLLGATE_JAVA_OPTS", "TOLLGATE_LOG_LEVEL");

  /** What Kubernetes gives to every pod beside a service whose name begins with ours. */
  private static final Pattern OF_A_SERVICE =
      Pattern.compile(
          "([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?"
              + "|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)");

  private static final Pattern PORT_OF_A_SERVICE = Pattern.compile("([A-Z0-9_]+_)?PORT");
  private static final Pattern SERVICE = Pattern.compile("(tcp|udp|sctp)://.*");

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
              if (isOurs(name, value)) {
                var place = new Place.InEnvironment(name);
                path(name, tree, place)
                    .ifPresent(
                        path ->
                            found.add(new OutsideSetting(path, value, Node.Origin.OUTSIDE, place)));
              }
            });
    return found;
  }

  private static boolean isOurs(String name, String value) {
    if (!name.startsWith(PREFIX) || NO_SETTINGS.contains(name)) {
      return false;
    }
    String rest = name.substring(PREFIX.length());
    return rest.contains(PARTING)
        || !(OF_A_SERVICE.matcher(rest).matches()
            || (PORT_OF_A_SERVICE.matcher(rest).matches() && SERVICE.matcher(value).matches()));
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
        problems.add(place, path, "no such setting" + hint(name, tree, segment, known));
        return Optional.empty();
      }
      path = Paths.join(path, key.get().contains(".") ? "\"" + key.get() + "\"" : key.get());
      shape = Overrides.inside(shape, key.get());
      node = inside(node, key.get());
    }
    return Optional.of(path);
  }

  private String hint(String name, Node.Mapping tree, String segment, List<String> known) {
    List<String> all = new ArrayList<>();
    variables(root, tree, PREFIX, all);
    return all.stream()
        .filter(variable -> variable.replace(PARTING, "_").equals(name))
        .findFirst()
        .map(variable -> "; did you mean " + variable + "?")
        .orElseGet(
            () ->
                DidYouMean.hint(segment, known.stream().map(EnvironmentNames::variable).toList()));
  }

  /** The variables of all settings that there are. */
  private static void variables(
      @Nullable Shape shape, @Nullable Node node, String prefix, List<String> into) {
    for (String key : keys(shape, node)) {
      String name = prefix + variable(key);
      into.add(name);
      variables(Overrides.inside(shape, key), inside(node, key), name + PARTING, into);
    }
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
