package dev.tollgate.server.control.route;

import static dev.tollgate.server.account.Permission.ORG_READ;
import static dev.tollgate.server.control.route.RouteDraft.get;

import dev.tollgate.server.control.route.RouteSpec.Audience;
import dev.tollgate.server.explorer.RequestFacets;

/** Table of all calls that the control plane's listener answers. */
public enum Route {
  META(get("M1", "/api/v1/meta").replies(Meta.class)),
  OPENAPI(get("M2", "/api/v1/openapi.json").replies(Object.class)),
  SHELL(get("M3", "/").to(Audience.FILES)),
  ASSET(get("M4", "/assets/{asset}").to(Audience.FILES)),

  REQUESTS(
      get("R1", "/api/v1/orgs/{org}/requests")
          .in(ORG_READ)
          .shed()
          .query(RequestHandlers.ListQuery.class)
          .replies(RequestListing.class)),
  REQUEST(
      get("R2 R7", "/api/v1/orgs/{org}/requests/{request}")
          .in(ORG_READ)
          .shed()
          .replies(RequestReport.class)),
  REQUEST_HISTOGRAM(
      get("R3", "/api/v1/orgs/{org}/requests/histogram")
          .in(ORG_READ)
          .shed()
          .query(RequestSearch.class)
          .replies(HistogramView.class)),
  REQUEST_FACETS(
      get("R4", "/api/v1/orgs/{org}/requests/facets")
          .in(ORG_READ)
          .shed()
          .query(RequestSearch.class)
          .replies(RequestFacets.class)),

  MODELS(
      get("D1", "/api/v1/orgs/{org}/models")
          .in(ORG_READ)
          .shed()
          .query(ModelHandlers.ListQuery.class)
          .lists(Object.class));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final RouteSpec spec;

  Route(RouteDraft draft) {
    this.spec = draft.build(name());
  }

  public RouteSpec spec() {
    return spec;
  }
}
