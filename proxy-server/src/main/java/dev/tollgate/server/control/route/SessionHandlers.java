package dev.tollgate.server.control.route;

import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.signin.SessionViews;
import dev.tollgate.server.account.signin.Sessions;
import dev.tollgate.server.account.signin.SetUp;
import dev.tollgate.server.account.signin.SetUp.SetUpRequest;
import dev.tollgate.server.account.signin.SignIn;
import dev.tollgate.server.account.signin.SignIn.SignInRequest;
import dev.tollgate.server.account.signin.SignedIn;
import java.sql.SQLException;

/** Handlers of the first set-up, of signing in and out, and of sessions. */
public final class SessionHandlers {
  private final Services services;
  private final SessionReplies replies;

  private SessionHandlers(Services services, SessionReplies replies) {
    this.services = services;
    this.replies = replies;
  }

  /** Services that these handlers call. */
  public record Services(SetUp setUp, SignIn signIn, Sessions sessions, SessionViews views) {}

  public static void add(Handlers.Builder handlers, Services services, SessionReplies replies) {
    var own = new SessionHandlers(services, replies);
    handlers
        .on(Route.SET_UP, own::setUp)
        .on(Route.SIGN_IN, own::signIn)
        .on(Route.SIGN_OUT, own::signOut)
        .on(Route.SESSION, own::session);
  }

  private ControlReply setUp(ControlRequest call) throws SQLException {
    SignedIn first = services.setUp().complete(call.caller(), call.body(SetUpRequest.class));
    return ControlReply.created(replies.of(first.session()))
        .with(replies.setCookie(first.cookie()));
  }

  private ControlReply signIn(ControlRequest call) throws SQLException {
    return replies.signedIn(
        services.signIn().signIn(call.caller(), call.body(SignInRequest.class)));
  }

  private ControlReply signOut(ControlRequest call) throws SQLException {
    if (call.caller().principal() instanceof Principal.Token) {
      return ControlReply.noContent();
    }
    services.sessions().signOut(call.caller());
    return replies.signedOut();
  }

  private ControlReply session(ControlRequest call) throws SQLException {
    CallerReply reply =
        call.caller().principal() instanceof Principal.Token token
            ? TokenReply.of(token)
            : replies.of(services.views().of(call.caller()));
    return ControlReply.ok(reply);
  }
}
