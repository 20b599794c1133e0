package dev.tollgate.server.control.route;

import java.sql.SQLException;
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

  /** Value that answers a call. */
  public interface Value {
    Object of(ControlRequest call) throws SQLException;
  }

  /** What a call without a value in its answer does. */
  public interface Act {
    void run(ControlRequest call) throws SQLException;
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

    /** Answers with a value as JSON, and the route's status. */
    public Builder replies(Route route, Value value) {
      return on(route, call -> ControlReply.json(route.spec().status(), value.of(call)));
    }

    /** Answers without content after an act, with the route's status. */
    public Builder empty(Route route, Act act) {
      return on(
          route,
          call -> {
            act.run(call);
            return new ControlReply.Empty(route.spec().status(), List.of());
          });
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
