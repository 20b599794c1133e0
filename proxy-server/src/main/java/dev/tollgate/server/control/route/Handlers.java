package dev.tollgate.server.control.route;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Routes and their handlers. */
public final class Handlers {
  private final Map<String, Handler> byName;
  private final List<RouteSpec> routes;

  private Handlers(Map<String, Handler> byName, List<RouteSpec> routes) {
    this.byName = byName;
    this.routes = routes;
  }

  /** Collector of handlers, in which each route gets exactly one. */
  public static final class Builder {
    private final Map<String, Handler> byName = new HashMap<>();
    private final List<RouteSpec> routes = new ArrayList<>();

    public Builder on(Route route, Handler handler) {
      return on(route.spec(), handler);
    }

    public Builder on(RouteSpec route, Handler handler) {
      if (byName.put(route.name(), handler) != null) {
        throw new IllegalStateException("two handlers of " + route.name());
      }
      routes.add(route);
      return this;
    }

    public Handlers build() {
      return new Handlers(Map.copyOf(byName), List.copyOf(routes));
    }

    /** Returns the handlers of the whole table; a route without one is a bug. */
    public Handlers buildComplete() {
      Arrays.stream(Route.values())
          .filter(route -> !byName.containsKey(route.name()))
          .findFirst()
          .ifPresent(
              route -> {
                throw new IllegalStateException("no handler of " + route);
              });
      return build();
    }
  }

  public List<RouteSpec> routes() {
    return routes;
  }

  public Handler of(RouteSpec route) {
    Handler handler = byName.get(route.name());
    if (handler == null) {
      throw new IllegalStateException("no handler of " + route.name());
    }
    return handler;
  }
}
