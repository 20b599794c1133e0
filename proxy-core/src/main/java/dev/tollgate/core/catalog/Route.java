package dev.tollgate.core.catalog;

import dev.tollgate.core.money.PriceList;
import java.util.Optional;

/**
 * Provider and upstream model to which requests for a configured model can be sent.
 *
 * @param upstreamModel the provider's own name of the model
 * @param priority lower is preferred
 * @param contextLength tokens that prompt and completion share at this provider; 0: as the model's
 * @param cost what the operator pays there; empty: the model's price
 */
public record Route(
    Provider provider,
    String upstreamModel,
    int priority,
    int weight,
    int contextLength,
    Optional<PriceList> cost) {
  /** Creates a route with the context and at the price of its model. */
  public Route(Provider provider, String upstreamModel, int priority, int weight) {
    this(provider, upstreamModel, priority, weight, 0, Optional.empty());
  }
}
