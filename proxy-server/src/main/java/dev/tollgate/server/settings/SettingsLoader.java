package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.BindResult;
import dev.tollgate.server.settings.binding.EnvironmentNames;
import dev.tollgate.server.settings.binding.Overrides;
import dev.tollgate.server.settings.binding.SettingOverride;
import dev.tollgate.server.settings.binding.SettingsBinder;
import dev.tollgate.server.settings.binding.SourceLocations;
import dev.tollgate.server.settings.yaml.ConfigNode;
import dev.tollgate.server.settings.yaml.Interpolation;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.ProcessEnvironment;
import dev.tollgate.server.settings.yaml.ProcessEnvironment.FileText;
import dev.tollgate.server.settings.yaml.SourceLocation;
import dev.tollgate.server.settings.yaml.YamlText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Loads a configuration: defaults, then the file and its catalogs, then the environment, then
 * {@code --set} options, the later ones winning. Returns either valid settings or every problem.
 */
public final class SettingsLoader {
  /** Second variable for {@value #REQUEST_BYTES}, without our prefix. */
  private static final String REQUEST_BYTES_ALIAS = "MAX_REQUEST_BYTES";

  private static final String REQUEST_BYTES = "listeners.api.max_request_bytes";

  private final ProcessEnvironment environment;

  public SettingsLoader(ProcessEnvironment environment) {
    this.environment = environment;
  }

  /**
   * Returns the settings of {@code file}, or its problems; the files that TLS needs are opened.
   *
   * @param sets options of the form {@code store.url=jdbc:postgresql://…}
   */
  public LoadResult load(Path file, List<String> sets) {
    return load(file, sets, SettingsPart.ALL);
  }

  /** Returns the settings of a part of {@code file}, or its problems. */
  public LoadResult load(Path file, List<String> sets, SettingsPart part) {
    var problems = new Problems();
    return switch (environment.read(file)) {
      case FileText.Content(String text) -> load(file, text, sets, part, problems);
      case FileText.Unreadable(String reason) -> {
        problems.add(new SourceLocation.OfFile(file.toString()), "", "cannot be read: " + reason);
        yield new LoadResult.Invalid(problems.sorted());
      }
    };
  }

  private LoadResult load(
      Path file, String text, List<String> sets, SettingsPart part, Problems problems) {
    Optional<ConfigNode> root = YamlText.parse(file.toString(), text, problems);
    if (root.isEmpty()) {
      return new LoadResult.Invalid(problems.sorted());
    }
    if (!(root.get() instanceof ConfigNode.Mapping tree)) {
      problems.add(
          root.get().location(), "", "must be a mapping of keys such as version and models");
      return new LoadResult.Invalid(problems.sorted());
    }
    return load(file, only(part, tree), sets, part, problems);
  }

  private static ConfigNode.Mapping only(SettingsPart part, ConfigNode.Mapping tree) {
    Map<String, ConfigNode.Entry> kept = new LinkedHashMap<>(tree.entries());
    kept.keySet().removeIf(section -> !part.reads(section));
    return new ConfigNode.Mapping(kept, tree.location());
  }

  private LoadResult load(
      Path file,
      ConfigNode.Mapping written,
      List<String> sets,
      SettingsPart part,
      Problems problems) {
    Path folder = Objects.requireNonNullElse(file.toAbsolutePath().getParent(), file);
    var interpolation = new Interpolation(environment, folder, problems);
    var overrides = new Overrides(Settings.TYPE, problems);
    List<SettingOverride> optionOverrides = options(sets, part, problems);

    List<SettingOverride> environmentOverrides = fromEnvironment(written, part, new Problems());
    ConfigNode.Mapping tree = overrides.apply(written, withPath("catalogs", environmentOverrides));
    tree = overrides.apply(tree, withPath("catalogs", optionOverrides));
    tree = only(part, new CatalogFiles(file, environment, interpolation, problems).merge(tree));
    tree = overrides.apply(tree, fromEnvironment(tree, part, problems));
    tree = interpolation.resolve(overrides.apply(tree, optionOverrides), "");
    var wildcards = new WildcardModels(folder, problems);
    WildcardModels.Expansion expanded = wildcards.expand(tree, part.reads("providers"));
    tree = expanded.tree();

    var locations = new SourceLocations();
    BindResult reading =
        new SettingsBinder(folder, problems, locations).readPart(Settings.TYPE, tree, part::reads);
    if (!(reading instanceof BindResult.Value(Settings settings))) {
      return new LoadResult.Invalid(problems.sorted());
    }
    new SettingsChecks(settings, tree, expanded.models(), locations, problems).run(part);
    if (part == SettingsPart.ALL) {
      var reported = new SectionProblems("", locations, problems);
      new TlsFileChecks(environment.files(), reported).check(settings);
    }
    return problems.isEmpty()
        ? new LoadResult.Valid(settings, problems.warnings())
        : new LoadResult.Invalid(problems.sorted());
  }

  private List<SettingOverride> fromEnvironment(
      ConfigNode.Mapping tree, SettingsPart part, Problems problems) {
    List<SettingOverride> found = new ArrayList<>();
    Map<String, String> variables = part.variables(environment.variables());
    String requestBytes = variables.get(REQUEST_BYTES_ALIAS);
    if (requestBytes != null && part.reads(REQUEST_BYTES)) {
      found.add(
          new SettingOverride(
              REQUEST_BYTES,
              requestBytes,
              ConfigNode.Origin.EXTERNAL,
              new SourceLocation.InEnvironment(REQUEST_BYTES_ALIAS)));
    }
    found.addAll(new EnvironmentNames(Settings.TYPE, problems).find(variables, tree));
    return found;
  }

  private static List<SettingOverride> options(
      List<String> sets, SettingsPart part, Problems problems) {
    List<SettingOverride> found = new ArrayList<>();
    for (String set : sets) {
      int equals = set.indexOf('=');
      String key = equals < 0 ? set : set.substring(0, equals);
      var location = new SourceLocation.OnCommandLine(key);
      if (equals <= 0) {
        problems.add(location, "", "must be of the form key=value");
      } else if (part.reads(key)) {
        found.add(
            new SettingOverride(key, set.substring(equals + 1), ConfigNode.Origin.PLAIN, location));
      }
    }
    return found;
  }

  private static List<SettingOverride> withPath(String key, List<SettingOverride> overrides) {
    return overrides.stream().filter(override -> override.path().equals(key)).toList();
  }
}
