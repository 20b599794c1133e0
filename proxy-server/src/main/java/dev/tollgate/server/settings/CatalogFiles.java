package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.DidYouMean;
import dev.tollgate.server.settings.yaml.ConfigNode;
import dev.tollgate.server.settings.yaml.Interpolation;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.ProcessEnvironment;
import dev.tollgate.server.settings.yaml.ProcessEnvironment.FileText;
import dev.tollgate.server.settings.yaml.SettingPaths;
import dev.tollgate.server.settings.yaml.YamlText;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Merges the YAML files named by {@code catalogs} into the main configuration file. Each holds
 * models, providers or both. An entry of the main file replaces the whole entry of that name in a
 * catalog, for instance to set another price. Two catalogs cannot have the same entry.
 */
final class CatalogFiles {
  private static final List<String> SECTIONS = List.of("providers", "models");

  private final Path mainFile;
  private final ProcessEnvironment environment;
  private final Interpolation interpolation;
  private final Problems problems;

  CatalogFiles(
      Path mainFile,
      ProcessEnvironment environment,
      Interpolation interpolation,
      Problems problems) {
    this.mainFile = mainFile;
    this.environment = environment;
    this.interpolation = interpolation;
    this.problems = problems;
  }

  ConfigNode.Mapping merge(ConfigNode.Mapping main) {
    ConfigNode.Entry catalogs = main.entries().get("catalogs");
    ConfigNode.Mapping merged = main;
    if (catalogs != null
        && interpolation.resolve(catalogs.value(), "catalogs")
            instanceof ConfigNode.Sequence files) {
      for (int i = 0; i < files.items().size(); i++) {
        if (files.items().get(i) instanceof ConfigNode.Scalar name
            && name.origin() != ConfigNode.Origin.INVALID) {
          merged = add(main, merged, name, SettingPaths.item("catalogs", i));
        }
      }
    }
    return merged;
  }

  private ConfigNode.Mapping add(
      ConfigNode.Mapping main, ConfigNode.Mapping soFar, ConfigNode.Scalar name, String path) {
    Path file = mainFile.resolveSibling(name.text());
    return switch (environment.read(file)) {
      case FileText.Content(String text) -> add(main, soFar, file, text);
      case FileText.Unreadable(String reason) -> {
        problems.add(name.location(), path, "the file cannot be read: " + reason);
        yield soFar;
      }
    };
  }

  private ConfigNode.Mapping add(
      ConfigNode.Mapping main, ConfigNode.Mapping soFar, Path file, String text) {
    Optional<ConfigNode> root = YamlText.parse(file.toString(), text, problems);
    if (root.isPresent() && !(root.get() instanceof ConfigNode.Mapping)) {
      problems.add(root.get().location(), "", "must be a mapping with providers or models");
    }
    ConfigNode.Mapping merged = soFar;
    if (root.isPresent() && root.get() instanceof ConfigNode.Mapping catalog) {
      for (ConfigNode.Entry section : catalog.entries().values()) {
        merged = add(merged, section, definedInMain(main, section.key()));
      }
    }
    return merged;
  }

  /** Returns the names of the entries in the main file. */
  private static Set<String> definedInMain(ConfigNode.Mapping main, String section) {
    ConfigNode.Entry present = main.entries().get(section);
    return present != null && present.value() instanceof ConfigNode.Mapping named
        ? named.entries().keySet()
        : Set.of();
  }

  private ConfigNode.Mapping add(
      ConfigNode.Mapping main, ConfigNode.Entry section, Set<String> mainKeys) {
    if (section.key().equals("version")) {
      return main;
    }
    if (!SECTIONS.contains(section.key())) {
      String hint = DidYouMean.hint(section.key(), SECTIONS);
      problems.add(
          section.keyLocation(),
          section.key(),
          "a catalog file holds providers and models only" + hint);
      return main;
    }
    ConfigNode.Entry present = main.entries().get(section.key());
    if (!(section.value() instanceof ConfigNode.Mapping added)) {
      problems.add(section.value().location(), section.key(), "must be a section of named entries");
      return main;
    }
    ConfigNode.Mapping merged =
        present != null && present.value() instanceof ConfigNode.Mapping open
            ? open
            : new ConfigNode.Mapping(Map.of(), added.location());
    for (ConfigNode.Entry entry : added.entries().values()) {
      ConfigNode.Entry earlier = merged.entries().get(entry.key());
      if (earlier == null) {
        merged = merged.with(entry);
      } else if (!mainKeys.contains(entry.key())) {
        String path = SettingPaths.join(section.key(), entry.key());
        problems.add(entry.keyLocation(), path, "given twice, first at " + earlier.keyLocation());
      }
    }
    return main.with(new ConfigNode.Entry(section.key(), section.keyLocation(), merged));
  }
}
