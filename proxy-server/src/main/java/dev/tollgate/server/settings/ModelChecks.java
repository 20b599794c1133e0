package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.server.settings.ModelSettings.RouteSettings;
import dev.tollgate.server.settings.binding.DidYouMean;
import dev.tollgate.server.settings.binding.SourceLocations;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.SettingPaths;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks one model: its routes lead somewhere, and everything it can be charged for is priced. */
final class ModelChecks {
  private final Set<String> providers;
  private final Map<String, Set<Modality>> served;
  private final Set<String> bedrockProviders;
  private final SourceLocations locations;
  private final Problems problems;

  /**
   * Routes may lead to {@code providers}.
   *
   * @param served what those of them serve that could be read
   * @param bedrockProviders those of them that are Bedrock
   */
  ModelChecks(
      Set<String> providers,
      Map<String, Set<Modality>> served,
      Set<String> bedrockProviders,
      SourceLocations locations,
      Problems problems) {
    this.providers = providers;
    this.served = served;
    this.bedrockProviders = bedrockProviders;
    this.locations = locations;
    this.problems = problems;
  }

  void check(ModelId id, ModelSettings model) {
    String path = SettingPaths.join("models", id.toString());
    checkRoutes(model, path + ".routes");
    boolean timed = model.modality() == Modality.VIDEO || model.modality() == Modality.MUSIC;
    if (timed && model.defaultDurationSeconds() == null) {
      String modality = model.modality().wire();
      report(path + ".default_duration_seconds", "is missing: " + modality + " models need it");
    }
    if (!timed && model.defaultDurationSeconds() != null) {
      report(path + ".default_duration_seconds", "is for video and music models only");
    }
    new PriceChecks(path + ".price", locations, problems).check(model.modality(), model.price());
  }

  private void checkRoutes(ModelSettings model, String path) {
    List<RouteSettings> routes = model.routes();
    Set<List<String>> seen = new HashSet<>();
    for (int i = 0; i < routes.size(); i++) {
      String provider = routes.get(i).provider().value();
      if (!providers.contains(provider)) {
        String hint = DidYouMean.hint(provider, providers);
        String message = "there is no provider " + provider + hint;
        report(SettingPaths.item(path, i) + ".provider", message);
      } else if (!served
          .getOrDefault(provider, Set.of(model.modality()))
          .contains(model.modality())) {
        String message = provider + " has no " + model.modality().wire() + " models";
        report(SettingPaths.item(path, i) + ".provider", message);
      } else if (isUnsupportedEmbedding(provider, model.modality(), routes.get(i).model())) {
        String message = "is not one of Titan's: of Bedrock, only those give vectors here";
        report(SettingPaths.item(path, i) + ".model", message);
      } else if (!seen.add(List.of(provider, routes.get(i).model()))) {
        report(SettingPaths.item(path, i), "is the same route as one above");
      }
    }
  }

  private boolean isUnsupportedEmbedding(String provider, Modality modality, String model) {
    return modality == Modality.EMBEDDING
        && bedrockProviders.contains(provider)
        && !model.contains("titan-embed");
  }

  private void report(String path, String message) {
    if (!problems.hasProblemAt(path)) {
      problems.add(locations.of(path), path, message);
    }
  }
}
