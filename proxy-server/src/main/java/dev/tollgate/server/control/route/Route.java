package dev.tollgate.server.control.route;

import static dev.tollgate.server.control.route.RouteDraft.get;

import dev.tollgate.server.control.route.RouteSpec.Audience;

/** Table of all calls that the control plane's listener answers. */
public enum Route {
  META(get("M1", "/api/v1/meta").replies(Meta.class)),
  OPENAPI(get("M2", "/api/v1/openapi.json").replies(Object.class)),
  SHELL(get("M3", "/").to(Audience.FILES)),
  ASSET(get("M4", "/assets/{asset}").to(Audience.FILES));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final RouteSpec spec;

  Route(RouteDraft draft) {
    this.spec = draft.build(name());
  }

  public RouteSpec spec() {
    return spec;
  }
}
