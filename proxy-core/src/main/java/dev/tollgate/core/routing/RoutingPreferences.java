package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.id.ModelId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a request says about its routing (docs/decisions/routing.md#preferences); what it leaves
 * open is null or empty.
 *
 * @param order slugs that come first, in this order
 * @param only slugs besides which nobody is asked; empty: no bound
 * @param ignore slugs that are not asked
 * @param allowFallbacks whether anybody beside the preferred may serve
 * @param requireParameters whether only models may serve that are known to understand the request
 * @param models other models to fall back to, in order
 * @param latencyPreferred who is slower comes last
 * @param timeout for the whole request
 * @param resume how a stream that broke off is continued; null: as the model says
 * @param sessionId requests of one session go to one provider
 */
public record RoutingPreferences(
    @Nullable Strategy strategy,
    List<String> order,
    List<String> only,
    List<String> ignore,
    boolean allowFallbacks,
    boolean requireParameters,
    List<ModelId> models,
    PriceCap priceCap,
    @Nullable Duration latencyPreferred,
    @Nullable Duration timeout,
    @Nullable Resume resume,
    @Nullable Duration hedgeAfter,
    @Nullable String sessionId) {

  /** Nothing is wished for. */
  public static final RoutingPreferences NONE =
      new RoutingPreferences(
          null,
          List.of(),
          List.of(),
          List.of(),
          true,
          false,
          List.of(),
          PriceCap.NONE,
          null,
          null,
          null,
          null,
          null);

  public RoutingPreferences {
    order = List.copyOf(order);
    only = List.copyOf(only);
    ignore = List.copyOf(ignore);
    models = List.copyOf(models);
  }
}
