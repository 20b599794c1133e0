package dev.tollgate.server.control.route;

import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OrgAccess;
import org.jspecify.annotations.Nullable;

/**
 * A call that passed all checks which the table of routes asks for.
 *
 * @param access access to the organization of the path; null if the route has none
 * @param query the query's record; null if the route has none
 * @param body the body's record; null if the route has none
 */
public record ControlRequest(
    RouteSpec route,
    PathArgs path,
    Caller caller,
    @Nullable OrgAccess access,
    @Nullable Record query,
    @Nullable Record body,
    RequestMeta meta,
    IdempotencyClaim claim) {

  /** Returns the access to the organization of the path. */
  public OrgAccess org() {
    if (access == null) {
      throw new IllegalStateException(route.name() + " is no route of an organization");
    }
    return access;
  }

  /** Returns the query, of the type in the table of routes. */
  public <T extends Record> T query(Class<T> type) {
    return type.cast(required(query));
  }

  /** Returns the body, of the type in the table of routes. */
  public <T extends Record> T body(Class<T> type) {
    return type.cast(required(body));
  }

  private Record required(@Nullable Record part) {
    if (part == null) {
      throw new IllegalStateException(route.name() + " has no such part");
    }
    return part;
  }
}
