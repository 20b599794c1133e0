package dev.tollgate.server.control.route;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.SessionId;
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

  /** Password that proves an identity again. */
  public record Reauthentication(Secret password) {}

  /** Services that these handlers call. */
  public record Services(SetUp setUp, SignIn signIn, Sessions sessions, SessionViews views) {}

  public static void add(Handlers.Builder handlers, Services services, SessionReplies replies) {
    var own = new SessionHandlers(services, replies);
    handlers
        .on(Route.SET_UP, own::setUp)
        .on(Route.SIGN_IN, own::signIn)
        .on(Route.SIGN_OUT, own::signOut)
        .on(Route.SESSION, own::session)
        .on(Route.PROVE_AGAIN, own::proveAgain)
        .on(Route.SESSION_LIST, own::list)
        .on(Route.SESSION_REVOKE, own::revoke)
        .on(Route.SESSIONS_REVOKE, own::revokeOthers);
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

  private ControlReply proveAgain(ControlRequest call) throws SQLException {
    Secret password = call.body(Reauthentication.class).password();
    return replies.continued(services.signIn().proveAgain(call.caller(), password));
  }

  private ControlReply list(ControlRequest call) throws SQLException {
    return ControlReply.ok(new ListPage<>(services.sessions().list(call.caller()), null));
  }

  private ControlReply revoke(ControlRequest call) throws SQLException {
    services.sessions().revoke(call.caller(), new SessionId(call.path().uuid("session")));
    return ControlReply.noContent();
  }

  private ControlReply revokeOthers(ControlRequest call) throws SQLException {
    services.sessions().revokeOthers(call.caller());
    return ControlReply.noContent();
  }
}
