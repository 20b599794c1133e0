package dev.tollgate.core.api;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.routing.RoutingPreferences;

/** Model that an inference request names, with the request's routing preferences. */
public record RequestTarget(ModelId model, RoutingPreferences routing) {}
