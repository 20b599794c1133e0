package dev.tollgate.core.catalog;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * All models and providers of one moment, and the rules of choosing among them. Immutable; a reload
 * swaps it whole.
 */
public final class Catalog {
  private final Map<ModelId, Model> models;
  private final Map<ProviderId, Provider> providers;
  private final RoutingRules routing;

  /** With the usual rules. */
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

  /** In the order of the configuration. */
  public Collection<Model> models() {
    return Collections.unmodifiableCollection(models.values());
  }

  public Collection<Provider> providers() {
    return Collections.unmodifiableCollection(providers.values());
  }

  /** What holds where a request says nothing. */
  public RoutingRules routing() {
    return routing;
  }
}
