package dev.tollgate.core.catalog;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Immutable snapshot of all configured models and providers, of the names of models, and of the
 * routing rules. A reload replaces it as a whole.
 */
public final class Catalog {
  private final Map<ModelId, Model> models;
  private final Map<ProviderId, Provider> providers;
  private final RoutingRules routing;
  private final ModelNames names;

  /** Creates a catalog with the default routing rules. */
  public Catalog(Collection<Provider> providers, Collection<Model> models) {
    this(providers, models, RoutingRules.DEFAULT);
  }

  /** Creates a catalog without aliases. */
  public Catalog(Collection<Provider> providers, Collection<Model> models, RoutingRules routing) {
    this(providers, models, routing, new ModelNames(models, Map.of(), List.of()));
  }

  public Catalog(
      Collection<Provider> providers,
      Collection<Model> models,
      RoutingRules routing,
      ModelNames names) {
    this.routing = routing;
    this.names = names;
    this.providers = new LinkedHashMap<>();
    providers.forEach(provider -> this.providers.put(provider.id(), provider));
    this.models = new LinkedHashMap<>();
    models.forEach(model -> this.models.put(model.id(), model));
  }

  public Optional<Model> model(ModelId id) {
    return Optional.ofNullable(models.get(id));
  }

  /** Returns the names by which clients ask for the models. */
  public ModelNames names() {
    return names;
  }

  /** Returns the ids of the models. */
  public Set<ModelId> modelIds() {
    return Collections.unmodifiableSet(models.keySet());
  }

  /** Returns the models in the order of the configuration. */
  public Collection<Model> models() {
    return Collections.unmodifiableCollection(models.values());
  }

  public Collection<Provider> providers() {
    return Collections.unmodifiableCollection(providers.values());
  }

  /** Returns the routing rules for requests without preferences. */
  public RoutingRules routing() {
    return routing;
  }
}
