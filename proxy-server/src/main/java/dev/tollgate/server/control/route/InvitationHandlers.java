package dev.tollgate.server.control.route;

import dev.tollgate.server.account.org.Invitations;
import dev.tollgate.server.account.org.Invitations.NewInvitation;
import java.util.UUID;

/** Handlers of the calls of an organization's invitations. */
public final class InvitationHandlers {
  private InvitationHandlers() {}

  public static void add(Handlers.Builder handlers, Invitations invitations) {
    handlers
        .replies(Route.INVITATIONS, call -> invitations.list(call.org()))
        .replies(
            Route.INVITATION_CREATE,
            call -> invitations.create(call.org(), call.body(NewInvitation.class), call.claim()))
        .replies(Route.INVITATION_RESEND, call -> invitations.resend(call.org(), id(call)))
        .empty(Route.INVITATION_REVOKE, call -> invitations.revoke(call.org(), id(call)));
  }

  private static UUID id(ControlRequest call) {
    return call.path().uuid("invitation");
  }
}
