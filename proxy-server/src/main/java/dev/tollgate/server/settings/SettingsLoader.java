package dev.tollgate.server.settings;

import dev.tollgate.server.settings.shape.EnvironmentNames;
import dev.tollgate.server.settings.shape.OutsideSetting;
import dev.tollgate.server.settings.shape.Overrides;
import dev.tollgate.server.settings.shape.Places;
import dev.tollgate.server.settings.shape.Reading;
import dev.tollgate.server.settings.shape.ShapeReader;
import dev.tollgate.server.settings.yaml.Interpolation;
import dev.tollgate.server.settings.yaml.Node;
import dev.tollgate.server.settings.yaml.Place;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.Surroundings;
import dev.tollgate.server.settings.yaml.YamlText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Loads a configuration: defaults, then the file and its catalogs, then the environment, then
 * {@code --set} options, the later ones winning. Either all of it is right, or every problem is
 * reported.
 */
public final class SettingsLoader {
  /** The specification's own name for one setting. */
  private static final String REQUEST_BYTES_ALIAS = "MAX_REQUEST_BYTES";

  private final Surroundings surroundings;

  public SettingsLoader(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  /**
   * Loads {@code file}.
   *
   * @param sets options of the form {@code store.url=jdbc:postgresql://…}
   */
  public Loaded load(Path file, List<String> sets) {
    var problems = new Problems();
    Optional<String> text = read(file);
    if (text.isEmpty()) {
      problems.add(new Place.InFile(file.toString(), 1, 1), "", "cannot be read as UTF-8 text");
      return new Loaded.Invalid(problems.sorted());
    }
    Optional<Node> root = YamlText.parse(file.toString(), text.get(), problems);
    if (root.isEmpty()) {
      return new Loaded.Invalid(problems.sorted());
    }
    if (!(root.get() instanceof Node.Mapping tree)) {
      problems.add(root.get().place(), "", "must be a mapping of keys such as version and models");
      return new Loaded.Invalid(problems.sorted());
    }
    return load(file, tree, sets, problems);
  }

  private Loaded load(Path file, Node.Mapping written, List<String> sets, Problems problems) {
    Path folder = Objects.requireNonNullElse(file.toAbsolutePath().getParent(), file);
    var interpolation = new Interpolation(surroundings, folder, problems);
    var overrides = new Overrides(Settings.SHAPE, problems);
    List<OutsideSetting> options = options(sets, problems);

    List<OutsideSetting> environment = fromEnvironment(written, new Problems());
    Node.Mapping tree = overrides.apply(written, about("catalogs", environment));
    tree = overrides.apply(tree, about("catalogs", options));
    tree = new CatalogFiles(file, this::read, interpolation, problems).merge(tree);
    tree = overrides.apply(tree, fromEnvironment(tree, problems));
    tree = interpolation.resolve(overrides.apply(tree, options), "");

    var places = new Places();
    Reading reading = new ShapeReader(folder, problems, places).read(Settings.SHAPE, tree);
    if (!(reading instanceof Reading.Value(Settings settings))) {
      return new Loaded.Invalid(problems.sorted());
    }
    new SettingsChecks(settings, tree, places, problems).run();
    return problems.isEmpty()
        ? new Loaded.Valid(settings, problems.warnings())
        : new Loaded.Invalid(problems.sorted());
  }

  private List<OutsideSetting> fromEnvironment(Node.Mapping tree, Problems problems) {
    List<OutsideSetting> found = new ArrayList<>();
    String requestBytes = surroundings.environment().get(REQUEST_BYTES_ALIAS);
    if (requestBytes != null) {
      found.add(
          new OutsideSetting(
              "listeners.api.max_request_bytes",
              requestBytes,
              Node.Origin.OUTSIDE,
              new Place.InEnvironment(REQUEST_BYTES_ALIAS)));
    }
    found.addAll(
        new EnvironmentNames(Settings.SHAPE, problems).find(surroundings.environment(), tree));
    return found;
  }

  private static List<OutsideSetting> options(List<String> sets, Problems problems) {
    List<OutsideSetting> found = new ArrayList<>();
    for (String set : sets) {
      int equals = set.indexOf('=');
      String key = equals < 0 ? set : set.substring(0, equals);
      var place = new Place.OnCommandLine(key);
      if (equals <= 0) {
        problems.add(place, "", "must be of the form key=value");
      } else {
        found.add(new OutsideSetting(key, set.substring(equals + 1), Node.Origin.PLAIN, place));
      }
    }
    return found;
  }

  private static List<OutsideSetting> about(String key, List<OutsideSetting> overrides) {
    return overrides.stream().filter(override -> override.path().equals(key)).toList();
  }

  private Optional<String> read(Path file) {
    try {
      String text = surroundings.files().read(file);
      return Optional.of(text.startsWith("\ufeff") ? text.substring(1) : text);
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }
}
