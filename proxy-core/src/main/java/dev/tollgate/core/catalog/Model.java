package dev.tollgate.core.catalog;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Configured model that clients can request by name, with its limits, capabilities and routes to
 * providers.
 *
 * @param created time of publication, shown in the model list
 * @param contextLength tokens that prompt and completion share, unless a route has its own number;
 *     0 means unknown
 * @param outputTokensMax 0 means unknown
 * @param outputTokensReserved assumed at admission for a request without a bound
 *     (docs/decisions/money.md#reservations)
 * @param imageTokensReserved assumed at admission for each image: models count up to some ten
 *     thousand
 * @param capabilities names such as {@code streaming}, {@code tools}, {@code vision}
 * @param resume how streams are resumed unless the request has a preference
 * @param stickyPrefix whether requests with equal prompt beginnings go to the same provider
 * @param routes at least one, in order of priority
 * @param durationAssumed of videos and music without a duration in the request; zero for other
 *     modalities
 */
public record Model(
    ModelId id,
    Modality modality,
    String name,
    String description,
    Instant created,
    int contextLength,
    int outputTokensMax,
    int outputTokensReserved,
    int imageTokensReserved,
    Set<String> capabilities,
    PriceList prices,
    Resume resume,
    boolean stickyPrefix,
    List<Route> routes,
    Duration durationAssumed) {
  public Model {
    capabilities = Set.copyOf(capabilities);
    routes = List.copyOf(routes);
    if (routes.isEmpty()) {
      throw new IllegalArgumentException("model without a route: " + id);
    }
  }

  /** Returns the longest context of its routes; 0 means unknown. */
  public int contextLengthMax() {
    int max = contextLength;
    for (int i = 0; i < routes.size() && max > 0; i++) {
      max = Math.max(max, routes.get(i).contextLength());
    }
    return max;
  }

  /** True if keys with a scope may use the model. */
  public boolean isUsableWith(KeyScope scope) {
    return scope.allowsModel(id.toString()) && scope.allowsModality(modality.wire());
  }

  /** True if the model has a capability, or if the configuration names no capabilities. */
  public boolean mayHave(String capability) {
    return capabilities.isEmpty() || capabilities.contains(capability);
  }
}
