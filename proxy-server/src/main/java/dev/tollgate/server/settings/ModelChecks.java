package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.server.settings.ModelSettings.RouteSettings;
import dev.tollgate.server.settings.binding.DidYouMean;
import dev.tollgate.server.settings.binding.SourceLocations;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.SettingPaths;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks one model: its routes name providers that serve it, and its usage has prices. */
final class ModelChecks {
  private record RouteTarget(ProviderId provider, String model) {}

  private final Set<String> names;
  private final Map<ProviderId, ProviderSettings> providers;
  private final SourceLocations locations;
  private final Problems problems;

  /**
   * Creates the checks of all models.
   *
   * @param names every provider in the file
   * @param providers the providers whose settings could be read
   */
  ModelChecks(
      Set<String> names,
      Map<ProviderId, ProviderSettings> providers,
      SourceLocations locations,
      Problems problems) {
    this.names = names;
    this.providers = providers;
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
    Set<RouteTarget> seen = new HashSet<>();
    for (int i = 0; i < routes.size(); i++) {
      String at = SettingPaths.item(path, i);
      checkTarget(model.modality(), routes.get(i), at);
      if (!seen.add(new RouteTarget(routes.get(i).provider(), routes.get(i).model()))) {
        report(at, "is the same route as one above");
      }
    }
  }

  private void checkTarget(Modality modality, RouteSettings route, String path) {
    String name = route.provider().value();
    if (!names.contains(name)) {
      report(path + ".provider", "there is no provider " + name + DidYouMean.hint(name, names));
    } else if (providers.get(route.provider()) instanceof RemoteProvider provider) {
      if (!provider.modalities().contains(modality)) {
        report(path + ".provider", name + " has no " + modality.wire() + " models");
      }
      String problem = provider.modelProblem(modality, route.model());
      if (!problem.isEmpty()) {
        report(path + ".model", problem);
      }
    }
  }

  private void report(String path, String message) {
    if (!problems.hasProblemAt(path)) {
      problems.add(locations.of(path), path, message);
    }
  }
}
