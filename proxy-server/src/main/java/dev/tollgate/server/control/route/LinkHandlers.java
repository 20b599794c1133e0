package dev.tollgate.server.control.route;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.org.InvitationLinks;
import dev.tollgate.server.account.org.InvitationLinks.Acceptance;
import dev.tollgate.server.account.org.InvitationLinks.Joined;
import dev.tollgate.server.account.signin.ControlAuthenticator;
import dev.tollgate.server.account.signin.EmailVerification;
import dev.tollgate.server.account.signin.PasswordReset;
import dev.tollgate.server.account.signin.SessionViews;
import dev.tollgate.server.account.signin.SignIn;
import dev.tollgate.server.account.signin.SignUp;
import dev.tollgate.server.account.signin.SignUp.SignUpRequest;
import dev.tollgate.server.control.route.OwnAccountHandlers.EmailRequest;
import java.sql.SQLException;

/** Handlers of sign-up and of what the links in mails lead to. */
public final class LinkHandlers {
  private LinkHandlers() {}

  /** Secret of a link. */
  public record LinkRequest(Secret token) {}

  /** Secret of a link, and the password that it sets. */
  public record PasswordResetRequest(Secret token, Secret password) {}

  /** Services that these handlers call. */
  public record Services(
      SignUp signUp,
      EmailVerification verification,
      PasswordReset reset,
      InvitationLinks invitations,
      ControlAuthenticator authenticator,
      SignIn signIn,
      SessionViews views) {}

  public static void add(Handlers.Builder handlers, Services of, SessionReplies replies) {
    handlers
        .empty(
            Route.SIGN_UP,
            call -> of.signUp().signUp(call.caller(), call.body(SignUpRequest.class)))
        .empty(Route.EMAIL_VERIFY, call -> of.verification().verify(call.caller(), token(call)))
        .empty(Route.EMAIL_RESEND, call -> of.verification().resend(email(call)))
        .empty(Route.PASSWORD_FORGOT, call -> of.reset().forgot(email(call)))
        .empty(
            Route.PASSWORD_RESET,
            call -> {
              var request = call.body(PasswordResetRequest.class);
              of.reset().reset(call.caller(), request.token().reveal(), request.password());
            })
        .replies(Route.INVITATION_LOOK, call -> of.invitations().look(token(call)))
        .on(Route.INVITATION_ACCEPT, call -> accept(call, of, replies));
  }

  private static String token(ControlRequest call) {
    return call.body(LinkRequest.class).token().reveal();
  }

  private static String email(ControlRequest call) {
    return call.body(EmailRequest.class).email();
  }

  /** A new person is signed in; one who is signed in already keeps the session. */
  private static ControlReply accept(ControlRequest call, Services of, SessionReplies replies)
      throws SQLException {
    refuseDisabled(call, of.authenticator());
    Joined joined = of.invitations().accept(call.caller(), call.body(Acceptance.class));
    return joined.isNew()
        ? replies.signedIn(call, of.signIn().begin(call.caller(), joined.user()))
        : ControlReply.json(call.route().status(), replies.of(of.views().of(call.caller())));
  }

  /** The call is open to strangers, but not to a person whose account is disabled. */
  private static void refuseDisabled(ControlRequest call, ControlAuthenticator authenticator)
      throws SQLException {
    String session = call.meta().session();
    if (session == null || !(call.caller().principal() instanceof Principal.Anonymous)) {
      return;
    }
    try {
      var _ = authenticator.bySession(session);
    } catch (Refused refused) {
      if (refused.fault().code() == ErrorCode.ACCOUNT_DISABLED) {
        throw refused;
      }
    }
  }
}
