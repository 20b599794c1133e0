package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.id.ProviderId;

/** A route that may serve a request. */
public record Candidate(Route route) {
  public Provider provider() {
    return route.provider();
  }

  public ProviderId id() {
    return route.provider().id();
  }
}
