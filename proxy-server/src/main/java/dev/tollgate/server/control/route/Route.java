package dev.tollgate.server.control.route;

import static dev.tollgate.server.account.AuditAction.SESSION_SIGN_IN;
import static dev.tollgate.server.account.AuditAction.SESSION_SIGN_OUT;
import static dev.tollgate.server.account.AuditAction.SETUP_COMPLETE;
import static dev.tollgate.server.control.route.RouteDraft.get;
import static dev.tollgate.server.control.route.RouteDraft.post;

import dev.tollgate.server.account.signin.SetUp.SetUpRequest;
import dev.tollgate.server.account.signin.SignIn.SignInRequest;
import dev.tollgate.server.control.route.RouteSpec.Audience;

/** Table of all calls that the control plane's listener answers. */
public enum Route {
  META(get("M1", "/api/v1/meta").replies(Meta.class)),
  OPENAPI(get("M2", "/api/v1/openapi.json").replies(Object.class)),
  SHELL(get("M3", "/").to(Audience.FILES)),
  ASSET(get("M4", "/assets/{asset}").to(Audience.FILES)),

  SET_UP(
      post("S1", "/api/v1/setup")
          .body(SetUpRequest.class)
          .replies(201, SessionReply.class)
          .audited(SETUP_COMPLETE)),
  SIGN_IN(
      post("A1", "/api/v1/auth/sign-in")
          .body(SignInRequest.class)
          .replies(SessionReply.class)
          .audited(SESSION_SIGN_IN)),
  SIGN_OUT(post("A3", "/api/v1/auth/sign-out").empty(204).audited(SESSION_SIGN_OUT)),
  SESSION(get("U1", "/api/v1/session").to(Audience.SIGNED_IN).replies(CallerReply.class));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final RouteSpec spec;

  Route(RouteDraft draft) {
    this.spec = draft.build(name());
  }

  public RouteSpec spec() {
    return spec;
  }
}
