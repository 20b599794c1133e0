package dev.tollgate.server.settings;

import dev.tollgate.server.settings.shape.DidYouMean;
import dev.tollgate.server.settings.yaml.Interpolation;
import dev.tollgate.server.settings.yaml.Node;
import dev.tollgate.server.settings.yaml.Paths;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.YamlText;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Adds the files named by {@code catalogs} to the main file: each holds models, providers or both.
 * An entry of the main file replaces one of the same name in a catalog, whole: that is how an
 * operator sets a price of his own. Two catalogs cannot give the same entry.
 */
final class CatalogFiles {
  private static final List<String> SECTIONS = List.of("providers", "models");

  private final Path mainFile;
  private final Function<Path, Optional<String>> read;
  private final Interpolation interpolation;
  private final Problems problems;

  CatalogFiles(
      Path mainFile,
      Function<Path, Optional<String>> read,
      Interpolation interpolation,
      Problems problems) {
    this.mainFile = mainFile;
    this.read = read;
    this.interpolation = interpolation;
    this.problems = problems;
  }

  Node.Mapping merge(Node.Mapping main) {
    Node.Entry catalogs = main.entries().get("catalogs");
    Node.Mapping merged = main;
    if (catalogs != null
        && interpolation.resolve(catalogs.value(), "catalogs") instanceof Node.Sequence files) {
      for (int i = 0; i < files.items().size(); i++) {
        if (files.items().get(i) instanceof Node.Scalar name
            && name.origin() != Node.Origin.BROKEN) {
          merged = add(main, merged, name, Paths.item("catalogs", i));
        }
      }
    }
    return merged;
  }

  private Node.Mapping add(Node.Mapping main, Node.Mapping soFar, Node.Scalar name, String path) {
    Path file = mainFile.resolveSibling(name.text());
    Optional<String> text = read.apply(file);
    if (text.isEmpty()) {
      problems.add(name.place(), path, "the file cannot be read as UTF-8 text");
      return soFar;
    }
    Optional<Node> root = YamlText.parse(file.toString(), text.get(), problems);
    if (root.isPresent() && !(root.get() instanceof Node.Mapping)) {
      problems.add(root.get().place(), "", "must be a mapping with providers or models");
    }
    Node.Mapping merged = soFar;
    if (root.isPresent() && root.get() instanceof Node.Mapping catalog) {
      for (Node.Entry section : catalog.entries().values()) {
        merged = add(merged, section, own(main, section.key()));
      }
    }
    return merged;
  }

  /** The names that the main file gives itself. */
  private static Set<String> own(Node.Mapping main, String section) {
    Node.Entry present = main.entries().get(section);
    return present != null && present.value() instanceof Node.Mapping named
        ? named.entries().keySet()
        : Set.of();
  }

  private Node.Mapping add(Node.Mapping main, Node.Entry section, Set<String> own) {
    if (section.key().equals("version")) {
      return main;
    }
    if (!SECTIONS.contains(section.key())) {
      String hint = DidYouMean.hint(section.key(), SECTIONS);
      problems.add(
          section.keyPlace(),
          section.key(),
          "a catalog file holds providers and models only" + hint);
      return main;
    }
    Node.Entry present = main.entries().get(section.key());
    if (!(section.value() instanceof Node.Mapping added)) {
      problems.add(section.value().place(), section.key(), "must be a section of named entries");
      return main;
    }
    Node.Mapping merged =
        present != null && present.value() instanceof Node.Mapping open
            ? open
            : new Node.Mapping(Map.of(), added.place());
    for (Node.Entry entry : added.entries().values()) {
      Node.Entry earlier = merged.entries().get(entry.key());
      if (earlier == null) {
        merged = merged.with(entry);
      } else if (!own.contains(entry.key())) {
        String path = Paths.join(section.key(), entry.key());
        problems.add(entry.keyPlace(), path, "given twice, first at " + earlier.keyPlace());
      }
    }
    return main.with(new Node.Entry(section.key(), section.keyPlace(), merged));
  }
}
