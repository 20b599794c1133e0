package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.server.settings.ModelSettings.RouteSettings;
import dev.tollgate.server.settings.binding.DidYouMean;
import dev.tollgate.server.settings.yaml.SettingPaths;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Validates {@code models} entries: routes name providers that serve the model, and its usage has
 * prices.
 */
final class ModelChecks {
  private record RouteTarget(ProviderId provider, String model) {}

  private final Set<String> names;
  private final Map<ProviderId, ProviderSettings> providers;
  private final Set<String> ofWildcards;
  private final SectionProblems problems;

  /**
   * Creates a checker for all models.
   *
   * @param names every provider in the file
   * @param providers the providers whose settings could be read
   * @param ofWildcards ids of models whose routes are those of a whole vendor: routes that cannot
   *     serve one of them are left out
   */
  ModelChecks(
      Set<String> names,
      Map<ProviderId, ProviderSettings> providers,
      Set<String> ofWildcards,
      SectionProblems problems) {
    this.ofWildcards = ofWildcards;
    this.names = names;
    this.providers = providers;
    this.problems = problems;
  }

  void check(ModelId id, ModelSettings model) {
    SectionProblems at = problems.in(SettingPaths.join("models", id.toString()));
    checkRoutes(model, ofWildcards.contains(id.toString()), at);
    boolean timed = model.modality() == Modality.VIDEO || model.modality() == Modality.MUSIC;
    if (timed && model.defaultDurationSeconds() == null) {
      String modality = model.modality().wire();
      at.addFirst("default_duration_seconds", "is missing: " + modality + " models need it");
    }
    if (!timed && model.defaultDurationSeconds() != null) {
      at.addFirst("default_duration_seconds", "is for video and music models only");
    }
    new PriceChecks("price", at).check(model.modality(), model.price());
  }

  /** Warns of providers that nothing is ever sent to. */
  void warnOfUnusedProviders(Collection<ModelSettings> models) {
    Set<ProviderId> used =
        models.stream()
            .flatMap(model -> model.routes().stream())
            .map(RouteSettings::provider)
            .collect(Collectors.toSet());
    for (ProviderId provider : providers.keySet()) {
      if (!used.isEmpty() && !used.contains(provider)) {
        problems.warn("providers." + provider, "is not used: no model has a route to it");
      }
    }
  }

  private void checkRoutes(ModelSettings model, boolean isOfWildcard, SectionProblems section) {
    List<RouteSettings> routes = model.routes();
    Set<RouteTarget> seen = new HashSet<>();
    for (int i = 0; i < routes.size(); i++) {
      SectionProblems at = section.in(SettingPaths.item("routes", i));
      if (!isOfWildcard) {
        checkTarget(model.modality(), routes.get(i), at);
      }
      PriceSettings cost = routes.get(i).cost();
      if (cost != null) {
        new PriceChecks("cost", at).check(model.modality(), cost);
      }
      if (!seen.add(new RouteTarget(routes.get(i).provider(), routes.get(i).model()))) {
        at.addFirst("", "is the same route as one above");
      }
    }
  }

  private void checkTarget(Modality modality, RouteSettings route, SectionProblems at) {
    String name = route.provider().value();
    if (!names.contains(name)) {
      String hint = DidYouMean.hint(name, names);
      at.addFirst("provider", "there is no provider " + name + hint);
    } else if (providers.get(route.provider()) instanceof RemoteProvider provider) {
      String problem = provider.modelProblem(modality, route.model());
      if (!provider.modalities().contains(modality)) {
        at.addFirst("provider", name + " has no " + modality.wire() + " models");
      } else if (!problem.isEmpty()) {
        at.addFirst("model", problem);
      }
    }
  }
}
