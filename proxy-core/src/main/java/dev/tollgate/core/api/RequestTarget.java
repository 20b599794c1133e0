package dev.tollgate.core.api;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.routing.RoutingPreferences;

/** The model that a request names, and its preferences for the routing to it. */
public record RequestTarget(ModelId model, RoutingPreferences routing) {}
