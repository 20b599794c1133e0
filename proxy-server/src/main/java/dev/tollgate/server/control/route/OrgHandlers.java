package dev.tollgate.server.control.route;

import dev.tollgate.server.account.org.OrgPatch;
import dev.tollgate.server.account.org.OrgService;
import dev.tollgate.server.account.org.OrgService.Membership;
import dev.tollgate.server.account.org.OrgService.NewOrg;
import java.sql.SQLException;
import java.util.List;

/** Handlers of the calls of organizations. */
public final class OrgHandlers {
  private OrgHandlers() {}

  /** All organizations of the calling person. */
  record MembershipList(List<Membership> data, int total) {}

  public static void add(Handlers.Builder handlers, OrgService orgs) {
    handlers
        .replies(Route.ORGS, call -> memberships(call, orgs))
        .replies(
            Route.ORG_CREATE,
            call -> orgs.create(call.caller(), call.body(NewOrg.class), call.claim()))
        .replies(Route.ORG, call -> orgs.get(call.org()))
        .replies(
            Route.ORG_CHANGE,
            call ->
                orgs.change(call.org(), call.body(OrgPatch.class), call.meta().expectedVersion()))
        .empty(Route.ORG_CLOSE, call -> orgs.close(call.org()));
  }

  private static MembershipList memberships(ControlRequest call, OrgService orgs)
      throws SQLException {
    List<Membership> all = orgs.memberships(call.caller());
    return new MembershipList(all, all.size());
  }
}
