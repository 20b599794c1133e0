package dev.tollgate.core.api;

import dev.tollgate.core.routing.RoutingPreferences;

/**
 * Model that a request names, with its routing preferences.
 *
 * @param model the name as given, which need not be an id
 */
public record RequestTarget(String model, RoutingPreferences routing) {}
