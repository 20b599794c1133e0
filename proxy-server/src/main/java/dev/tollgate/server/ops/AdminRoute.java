package dev.tollgate.server.ops;

import java.util.Optional;

/** Route of the admin listener, with HTTP method, path and required access. */
public enum AdminRoute {
  LIVEZ("GET", "/livez", Access.OPEN),
  READYZ("GET", "/readyz", Access.OPEN),
  METRICS("GET", "/metrics", Access.TOKEN),
  CONFIG("GET", "/config", Access.TOKEN),
  PROVIDERS("GET", "/providers", Access.TOKEN),
  RELOAD("POST", "/-/reload", Access.TOKEN),
  DRAIN("POST", "/-/drain", Access.TOKEN);

  /** Access that a route requires of its clients. */
  public enum Access {
    OPEN,
    /** Only clients with the token are accepted, if one is configured. */
    TOKEN
  }

  private final String method;
  private final String path;
  private final Access access;

  AdminRoute(String method, String path, Access access) {
    this.method = method;
    this.path = path;
    this.access = access;
  }

  public String method() {
    return method;
  }

  public String path() {
    return path;
  }

  public Access access() {
    return access;
  }

  /** Returns the route of a request target, ignoring its query; empty if there is none. */
  static Optional<AdminRoute> match(String method, String target) {
    int query = target.indexOf('?');
    String path = query < 0 ? target : target.substring(0, query);
    for (AdminRoute route : values()) {
      if (route.method.equals(method) && route.path.equals(path)) {
        return Optional.of(route);
      }
    }
    return Optional.empty();
  }
}
