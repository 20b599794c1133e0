package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Strategy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Routing preferences of a request (docs/decisions/routing.md#preferences); those that it leaves
 * open are null or empty.
 *
 * @param order providers that come first, in this order
 * @param only the only providers that may serve; empty means all
 * @param ignore providers that may not serve
 * @param allowFallbacks true if other providers than the preferred ones may serve
 * @param requireParameters true if only models may serve that are known to support the request
 * @param models names of fallback models, in order
 * @param latencyPreferred providers that are slower come last
 * @param timeout for the whole request
 * @param resume how a broken stream is continued; null means as the model is configured
 * @param sessionId requests with the same id go to the same provider
 */
public record RoutingPreferences(
    @Nullable Strategy strategy,
    List<String> order,
    List<String> only,
    List<String> ignore,
    boolean allowFallbacks,
    boolean requireParameters,
    List<String> models,
    PriceCap priceCap,
    @Nullable Duration latencyPreferred,
    @Nullable Duration timeout,
    @Nullable Resume resume,
    @Nullable Duration hedgeAfter,
    @Nullable String sessionId) {

  /** No preferences. */
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
