package dev.tollgate.server.control.route;

import dev.tollgate.server.account.org.InvitationView;
import dev.tollgate.server.account.org.Invitations;
import dev.tollgate.server.account.org.Invitations.NewInvitation;
import java.sql.SQLException;
import java.util.List;

/** Handlers of the calls of an organization's invitations. */
public final class InvitationHandlers {
  private InvitationHandlers() {}

  public static void add(Handlers.Builder handlers, Invitations invitations) {
    handlers
        .on(Route.INVITATIONS, call -> ControlReply.ok(invitations.list(call.org())))
        .on(Route.INVITATION_CREATE, call -> create(call, invitations))
        .on(Route.INVITATION_RESEND, call -> resend(call, invitations))
        .on(Route.INVITATION_REVOKE, call -> revoke(call, invitations));
  }

  private static ControlReply create(ControlRequest call, Invitations invitations)
      throws SQLException {
    return ControlReply.created(
        invitations.create(call.org(), call.body(NewInvitation.class), call.claim()));
  }

  private static ControlReply resend(ControlRequest call, Invitations invitations)
      throws SQLException {
    InvitationView sent = invitations.resend(call.org(), call.path().uuid("invitation"));
    return new ControlReply.Json(call.route().status(), sent, null, List.of());
  }

  private static ControlReply revoke(ControlRequest call, Invitations invitations)
      throws SQLException {
    invitations.revoke(call.org(), call.path().uuid("invitation"));
    return ControlReply.noContent();
  }
}
