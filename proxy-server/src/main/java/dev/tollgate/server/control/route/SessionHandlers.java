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
import java.sql.SQLException;

/** Handlers of the first set-up, of signing in and out, and of sessions. */
public final class SessionHandlers {
  private SessionHandlers() {}

  /** Password that proves an identity again. */
  public record Reauthentication(Secret password) {}

  /** Services that these handlers call. */
  public record Services(SetUp setUp, SignIn signIn, Sessions sessions, SessionViews views) {}

  public static void add(Handlers.Builder handlers, Services of, SessionReplies replies) {
    handlers
        .on(
            Route.SET_UP,
            call -> {
              SetUpRequest request = call.body(SetUpRequest.class);
              return replies.signedIn(call, of.setUp().complete(call.caller(), request));
            })
        .on(
            Route.SIGN_IN,
            call -> {
              SignInRequest request = call.body(SignInRequest.class);
              return replies.signedIn(call, of.signIn().signIn(call.caller(), request));
            })
        .on(Route.SIGN_OUT, call -> signOut(call, of.sessions(), replies))
        .replies(Route.SESSION, call -> session(call, of.views(), replies))
        .on(
            Route.PROVE_AGAIN,
            call -> {
              Secret password = call.body(Reauthentication.class).password();
              return replies.continued(of.signIn().proveAgain(call.caller(), password));
            })
        .replies(
            Route.SESSION_LIST, call -> new ListPage<>(of.sessions().list(call.caller()), null))
        .empty(
            Route.SESSION_REVOKE,
            call -> {
              var session = new SessionId(call.path().uuid("session"));
              of.sessions().revoke(call.caller(), session);
            })
        .empty(Route.SESSIONS_REVOKE, call -> of.sessions().revokeOthers(call.caller()));
  }

  private static ControlReply signOut(
      ControlRequest call, Sessions sessions, SessionReplies replies) throws SQLException {
    if (call.caller().principal() instanceof Principal.Token) {
      return ControlReply.noContent();
    }
    String cookie = call.meta().session();
    if (cookie != null) {
      sessions.signOut(call.caller(), cookie);
    }
    return replies.signedOut();
  }

  private static CallerReply session(
      ControlRequest call, SessionViews views, SessionReplies replies) throws SQLException {
    return call.caller().principal() instanceof Principal.Token token
        ? TokenReply.of(token)
        : replies.of(views.of(call.caller()));
  }
}
