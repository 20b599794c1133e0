package dev.tollgate.server.settings;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.server.settings.ModelSettings.RouteSettings;
import dev.tollgate.server.settings.ModelSettings.WildcardSettings;
import dev.tollgate.server.settings.binding.BindResult;
import dev.tollgate.server.settings.binding.DidYouMean;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.binding.SettingType;
import dev.tollgate.server.settings.binding.SettingTypes;
import dev.tollgate.server.settings.binding.SettingsBinder;
import dev.tollgate.server.settings.binding.SourceLocations;
import dev.tollgate.server.settings.yaml.ConfigNode;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.SettingPaths;
import dev.tollgate.server.settings.yaml.YamlText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the entries {@code <vendor>/*} of {@code models}: each by an entry for every model of
 * the vendor in the built-in catalog, with the routes of the wildcard
 * (docs/decisions/models.md#whole-vendors). An entry of a single model wins over a wildcard.
 */
final class WildcardModels {
  private static final String CATALOG = "catalog.yaml";
  private static final String MODELS = "models";
  private static final String STAR = "*";
  private static final SettingType.Section TYPE = SettingTypes.section(Wildcards.class);

  private final SettingsBinder binder;
  private final Problems problems;

  /** The wildcards of a file alone, in a section of the same name as all models. */
  public record Wildcards(@Key(about = "wildcards") Map<ModelId, WildcardSettings> models) {}

  /**
   * Configuration without wildcards.
   *
   * @param models ids of the models that they stood for
   */
  record Expansion(ConfigNode.Mapping tree, Set<String> models) {}

  WildcardModels(Path folder, Problems problems) {
    this.binder = new SettingsBinder(folder, problems, new SourceLocations());
    this.problems = problems;
  }

  /**
   * Replaces the wildcards of a configuration.
   *
   * @param hasProviders false if its providers were not read, so that routes are not checked
   */
  Expansion expand(ConfigNode.Mapping tree, boolean hasProviders) {
    ConfigNode.Entry section = tree.entries().get(MODELS);
    if (section == null
        || !(section.value() instanceof ConfigNode.Mapping written)
        || written.entries().keySet().stream().noneMatch(WildcardModels::isWildcard)) {
      return new Expansion(tree, Set.of());
    }
    Map<ModelId, WildcardSettings> wildcards = read(section, written);
    Optional<Set<String>> providers =
        hasProviders ? Optional.of(names(tree.entries().get("providers"))) : Optional.empty();
    Map<String, ConfigNode.Entry> models = new LinkedHashMap<>();
    Set<String> added = new LinkedHashSet<>();
    for (ConfigNode.Entry entry : written.entries().values()) {
      if (!isWildcard(entry.key())) {
        models.put(entry.key(), entry);
      } else if (isUsable(entry, wildcards, providers)) {
        for (ConfigNode.Entry model : modelsOf(entry)) {
          if (!written.entries().containsKey(model.key())) {
            models.put(model.key(), model);
            added.add(model.key());
          }
        }
      }
    }
    var all = new ConfigNode.Mapping(models, written.location());
    return new Expansion(
        tree.with(new ConfigNode.Entry(MODELS, section.keyLocation(), all)), added);
  }

  private static boolean isWildcard(String key) {
    return key.contains(STAR);
  }

  private static Set<String> names(ConfigNode.@Nullable Entry section) {
    return section != null && section.value() instanceof ConfigNode.Mapping mapping
        ? mapping.entries().keySet()
        : Set.of();
  }

  private Map<ModelId, WildcardSettings> read(
      ConfigNode.Entry section, ConfigNode.Mapping written) {
    Map<String, ConfigNode.Entry> alone = new LinkedHashMap<>(written.entries());
    alone.keySet().removeIf(key -> !isWildcard(key));
    var root =
        new ConfigNode.Mapping(
            Map.of(
                MODELS,
                new ConfigNode.Entry(
                    MODELS,
                    section.keyLocation(),
                    new ConfigNode.Mapping(alone, written.location()))),
            written.location());
    return binder.read(TYPE, root) instanceof BindResult.Value(Wildcards found)
        ? found.models()
        : Map.of();
  }

  /** True if a wildcard has no problem; those that the binder did not find are reported. */
  private boolean isUsable(
      ConfigNode.Entry entry,
      Map<ModelId, WildcardSettings> read,
      Optional<Set<String>> providers) {
    String path = SettingPaths.join(MODELS, entry.key());
    WildcardSettings wildcard = ModelId.parse(entry.key()).map(read::get).orElse(null);
    if (wildcard == null || problems.hasProblemAt(path)) {
      return false;
    }
    String vendor = vendor(entry.key());
    Set<String> vendors =
        BuiltIn.MODELS.keySet().stream().map(WildcardModels::vendor).collect(Collectors.toSet());
    if (!entry.key().equals(vendor + "/" + STAR) || vendor.contains(STAR)) {
      problems.add(entry.keyLocation(), path, "the key must be <vendor>/<name> or <vendor>/*");
    } else if (!vendors.contains(vendor)) {
      problems.add(
          entry.keyLocation(),
          path,
          "the built-in catalog has no model of " + vendor + DidYouMean.hint(vendor, vendors));
    }
    providers.ifPresent(known -> checkRoutes(entry, wildcard.routes(), known));
    return !problems.hasProblemAt(path);
  }

  private void checkRoutes(
      ConfigNode.Entry entry, List<RouteSettings> routes, Set<String> providers) {
    String path = SettingPaths.join(MODELS, entry.key());
    for (int i = 0; i < routes.size(); i++) {
      RouteSettings route = routes.get(i);
      String at = SettingPaths.join(path, SettingPaths.item("routes", i));
      String provider = route.provider().value();
      if (!providers.contains(provider)) {
        String hint = DidYouMean.hint(provider, providers);
        problems.add(
            entry.keyLocation(), at + ".provider", "there is no provider " + provider + hint);
      }
      if (!route.model().contains(STAR)) {
        problems.add(
            entry.keyLocation(), at + ".model", "must have a *, which stands for the model");
      }
    }
  }

  private static String vendor(String id) {
    return id.substring(0, Math.max(0, id.indexOf('/')));
  }

  private static List<ConfigNode.Entry> modelsOf(ConfigNode.Entry wildcard) {
    var routes = (ConfigNode.Sequence) get(wildcard.value(), "routes").value();
    List<ConfigNode.Entry> models = new ArrayList<>();
    BuiltIn.MODELS.forEach(
        (id, model) -> {
          if (vendor(id).equals(vendor(wildcard.key()))) {
            var own =
                new ConfigNode.Entry("routes", wildcard.keyLocation(), routes(routes, id, model));
            models.add(new ConfigNode.Entry(id, wildcard.keyLocation(), model.with(own)));
          }
        });
    return models;
  }

  private static ConfigNode routes(
      ConfigNode.Sequence written, String id, ConfigNode.Mapping model) {
    return new ConfigNode.Sequence(
        written.items().stream()
            .map(ConfigNode.Mapping.class::cast)
            .<ConfigNode>map(route -> route.with(upstreamModel(route, id, model)))
            .toList(),
        written.location());
  }

  /**
   * Returns the name at the provider. A star alone is the name that the vendor's own API takes; as
   * part of a longer text it is the part of the id behind the slash.
   */
  private static ConfigNode.Entry upstreamModel(
      ConfigNode.Mapping route, String id, ConfigNode.Mapping model) {
    ConfigNode.Entry written = get(route, "model");
    var pattern = (ConfigNode.Scalar) written.value();
    String name =
        pattern.text().equals(STAR)
            ? BuiltIn.upstreamModel(model)
            : pattern.text().replace(STAR, id.substring(id.indexOf('/') + 1));
    return new ConfigNode.Entry(
        written.key(),
        written.keyLocation(),
        new ConfigNode.Scalar(name, ConfigNode.Origin.QUOTED, pattern.location()));
  }

  private static ConfigNode.Entry get(ConfigNode mapping, String key) {
    return Objects.requireNonNull(((ConfigNode.Mapping) mapping).entries().get(key), key);
  }

  /** The built-in catalog, read at the first wildcard. */
  private static final class BuiltIn {
    static final Map<String, ConfigNode.Mapping> MODELS = read();

    private static Map<String, ConfigNode.Mapping> read() {
      var problems = new Problems();
      ConfigNode root = YamlText.parse("the built-in catalog", text(), problems).orElseThrow();
      Map<String, ConfigNode.Mapping> models = new LinkedHashMap<>();
      ((ConfigNode.Mapping) get(root, WildcardModels.MODELS).value())
          .entries()
          .forEach((id, entry) -> models.put(id, (ConfigNode.Mapping) entry.value()));
      return models;
    }

    private static String text() {
      try (InputStream in = WildcardModels.class.getResourceAsStream(CATALOG)) {
        return new String(Objects.requireNonNull(in, CATALOG).readAllBytes(), UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    static String upstreamModel(ConfigNode.Mapping model) {
      var routes = (ConfigNode.Sequence) get(model, "routes").value();
      return ((ConfigNode.Scalar) get(routes.items().getFirst(), "model").value()).text();
    }
  }
}
