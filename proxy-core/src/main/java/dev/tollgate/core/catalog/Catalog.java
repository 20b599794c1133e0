package dev.tollgate.core.catalog;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Immutable snapshot of all configured models and providers, and of the routing rules. A reload
 * replaces it as a whole.
 */
public final class Catalog {
  private final Map<ModelId, Model> models;
  private final Map<ProviderId, Provider> providers;
  private final RoutingRules routing;

  /** Creates a catalog with the default routing rules. */
  public Catalog(Collection<Provider> providers, Collection<Model> models) {
    this(providers, models, RoutingRules.DEFAULT);
  }

  public Catalog(Collection<Provider> providers, Collection<Model> models, RoutingRules routing) {
    this.routing = routing;
    this.providers = new LinkedHashMap<>();
    providers.forEach(provider -> this.providers.put(provider.id(), provider));
    this.models = new LinkedHashMap<>();
    models.forEach(model -> this.models.put(model.id(), model));
  }

  public Optional<Model> model(ModelId id) {
    return Optional.ofNullable(models.get(id));
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
