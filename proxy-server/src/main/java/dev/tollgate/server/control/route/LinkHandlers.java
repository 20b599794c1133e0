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
  private final Services services;
  private final SessionReplies replies;

  private LinkHandlers(Services services, SessionReplies replies) {
    this.services = services;
    this.replies = replies;
  }

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

  public static void add(Handlers.Builder handlers, Services services, SessionReplies replies) {
    var own = new LinkHandlers(services, replies);
    handlers
        .on(Route.SIGN_UP, own::signUp)
        .on(Route.EMAIL_VERIFY, own::verify)
        .on(Route.EMAIL_RESEND, own::resend)
        .on(Route.PASSWORD_FORGOT, own::forgot)
        .on(Route.PASSWORD_RESET, own::reset)
        .on(Route.INVITATION_LOOK, own::look)
        .on(Route.INVITATION_ACCEPT, own::accept);
  }

  private ControlReply signUp(ControlRequest call) throws SQLException {
    services.signUp().signUp(call.caller(), call.body(SignUpRequest.class));
    return ControlReply.accepted();
  }

  private ControlReply verify(ControlRequest call) throws SQLException {
    services.verification().verify(call.caller(), token(call));
    return ControlReply.noContent();
  }

  private ControlReply resend(ControlRequest call) throws SQLException {
    services.verification().resend(call.body(EmailRequest.class).email());
    return ControlReply.accepted();
  }

  private ControlReply forgot(ControlRequest call) throws SQLException {
    services.reset().forgot(call.body(EmailRequest.class).email());
    return ControlReply.accepted();
  }

  private ControlReply reset(ControlRequest call) throws SQLException {
    var request = call.body(PasswordResetRequest.class);
    services.reset().reset(call.caller(), request.token().reveal(), request.password());
    return ControlReply.noContent();
  }

  private ControlReply look(ControlRequest call) throws SQLException {
    return ControlReply.ok(services.invitations().look(token(call)));
  }

  private static String token(ControlRequest call) {
    return call.body(LinkRequest.class).token().reveal();
  }

  /** A new person is signed in; one who is signed in already keeps the session. */
  private ControlReply accept(ControlRequest call) throws SQLException {
    refuseDisabled(call);
    Joined joined = services.invitations().accept(call.caller(), call.body(Acceptance.class));
    return joined.isNew()
        ? replies.signedIn(services.signIn().begin(call.caller(), joined.user()))
        : ControlReply.ok(replies.of(services.views().of(call.caller())));
  }

  /** The call is open to strangers, but not to a person whose account is disabled. */
  private void refuseDisabled(ControlRequest call) throws SQLException {
    String session = call.meta().session();
    if (session == null || !(call.caller().principal() instanceof Principal.Anonymous)) {
      return;
    }
    try {
      var _ = services.authenticator().bySession(session);
    } catch (Refused refused) {
      if (refused.fault().code() == ErrorCode.ACCOUNT_DISABLED) {
        throw refused;
      }
    }
  }
}
