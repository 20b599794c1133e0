package dev.tollgate.core.catalog;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * All models and providers of one moment, and how often they are tried for one request. Immutable;
 * a reload swaps it whole.
 */
public final class Catalog {
  private static final int ATTEMPTS_MAX = 3;

  private final Map<ModelId, Model> models;
  private final Map<ProviderId, Provider> providers;
  private final int attemptsMax;

  /** With the usual number of attempts. */
  public Catalog(Collection<Provider> providers, Collection<Model> models) {
    this(providers, models, ATTEMPTS_MAX);
  }

  public Catalog(Collection<Provider> providers, Collection<Model> models, int attemptsMax) {
    this.attemptsMax = attemptsMax;
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

  /** Tries at providers per request. */
  public int attemptsMax() {
    return attemptsMax;
  }
}
