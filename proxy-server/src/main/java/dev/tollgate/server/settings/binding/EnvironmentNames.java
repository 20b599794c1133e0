package dev.tollgate.server.settings.binding;

import dev.tollgate.server.settings.yaml.ConfigNode;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.SettingPaths;
import dev.tollgate.server.settings.yaml.SourceLocation;
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
 * Maps environment variables to the settings that they override: {@code TOLLGATE_STORE__URL} sets
 * {@code store.url}. Two underscores separate keys. In names that the operator chose, {@code _}
 * matches every character that a variable name cannot have. An unknown variable with our prefix is
 * a problem: otherwise a misspelled one would have no effect.
 */
public final class EnvironmentNames {
  private static final String PREFIX = "TOLLGATE_";
  private static final String SEPARATOR = "__";

  /** Variables of the launcher, the command line and the log. */
  private static final Set<String> NOT_SETTINGS =
      Set.of("TOLLGATE_CONFIG", "TOLLGATE_JAVA", "TOLLGATE_JAVA_OPTS", "TOLLGATE_LOG_LEVEL");

  /** Variables that Kubernetes sets in every pod for a service named {@code tollgate…}. */
  private static final Pattern KUBERNETES_SERVICE_NAME =
      Pattern.compile(
          "([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?"
              + "|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)");

  private static final Pattern KUBERNETES_PORT_NAME = Pattern.compile("([A-Z0-9_]+_)?PORT");
  private static final Pattern KUBERNETES_PORT_VALUE = Pattern.compile("(tcp|udp|sctp)://.*");

  private final SettingType.Section root;
  private final Problems problems;

  public EnvironmentNames(SettingType.Section root, Problems problems) {
    this.root = root;
    this.problems = problems;
  }

  /** Returns the overrides in the order of the variable names; unknown names are problems. */
  public List<SettingOverride> find(Map<String, String> environment, ConfigNode.Mapping tree) {
    List<SettingOverride> found = new ArrayList<>();
    new TreeMap<>(environment)
        .forEach(
            (name, value) -> {
              if (isSetting(name, value)) {
                var location = new SourceLocation.InEnvironment(name);
                path(name, tree, location)
                    .ifPresent(
                        path ->
                            found.add(
                                new SettingOverride(
                                    path, value, ConfigNode.Origin.EXTERNAL, location)));
              }
            });
    return found;
  }

  private static boolean isSetting(String name, String value) {
    if (!name.startsWith(PREFIX) || NOT_SETTINGS.contains(name)) {
      return false;
    }
    String rest = name.substring(PREFIX.length());
    return rest.contains(SEPARATOR)
        || !(KUBERNETES_SERVICE_NAME.matcher(rest).matches()
            || (KUBERNETES_PORT_NAME.matcher(rest).matches()
                && KUBERNETES_PORT_VALUE.matcher(value).matches()));
  }

  private Optional<String> path(String name, ConfigNode.Mapping tree, SourceLocation location) {
    String path = "";
    SettingType type = root;
    @Nullable ConfigNode node = tree;
    for (String segment : name.substring(PREFIX.length()).split(SEPARATOR, -1)) {
      List<String> known = keys(type, node);
      Optional<String> key = known.stream().filter(k -> variable(k).equals(segment)).findFirst();
      if (key.isEmpty() && type instanceof SettingType.MapOf && !segment.isEmpty()) {
        key = Optional.of(segment.toLowerCase(Locale.ROOT));
      }
      if (key.isEmpty()) {
        problems.add(location, path, "no such setting" + hint(name, tree, segment, known));
        return Optional.empty();
      }
      path = SettingPaths.join(path, key.get().contains(".") ? "\"" + key.get() + "\"" : key.get());
      type = Overrides.innerType(type, key.get());
      node = inside(node, key.get());
    }
    return Optional.of(path);
  }

  private String hint(String name, ConfigNode.Mapping tree, String segment, List<String> known) {
    List<String> all = new ArrayList<>();
    variables(root, tree, PREFIX, all);
    return all.stream()
        .filter(variable -> variable.replace(SEPARATOR, "_").equals(name))
        .findFirst()
        .map(variable -> "; did you mean " + variable + "?")
        .orElseGet(
            () ->
                DidYouMean.hint(segment, known.stream().map(EnvironmentNames::variable).toList()));
  }

  /** Collects the variables of all settings. */
  private static void variables(
      @Nullable SettingType type, @Nullable ConfigNode node, String prefix, List<String> into) {
    for (String key : keys(type, node)) {
      String name = prefix + variable(key);
      into.add(name);
      variables(Overrides.innerType(type, key), inside(node, key), name + SEPARATOR, into);
    }
  }

  private static List<String> keys(@Nullable SettingType type, @Nullable ConfigNode node) {
    return switch (type) {
      case null -> List.of();
      case SettingType.Section section -> List.copyOf(section.entries().keySet());
      case SettingType.MapOf _ ->
          node instanceof ConfigNode.Mapping mapping
              ? List.copyOf(mapping.entries().keySet())
              : List.of();
      case SettingType.Tagged tagged ->
          tagged.sections().values().stream()
              .map(section -> section.entries().keySet())
              .flatMap(Collection::stream)
              .toList();
      case SettingType.Scalar _, SettingType.ListOf _ -> List.of();
    };
  }

  private static @Nullable ConfigNode inside(@Nullable ConfigNode node, String key) {
    if (node instanceof ConfigNode.Mapping mapping) {
      ConfigNode.Entry entry = mapping.entries().get(key);
      return entry == null ? null : entry.value();
    }
    return null;
  }

  private static String variable(String key) {
    return key.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
  }
}
