package dev.tollgate.core.api;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.routing.RoutingPreferences;

/** Model that a request names, and its preferences for the routing. */
public record RequestTarget(ModelId model, RoutingPreferences routing) {}
