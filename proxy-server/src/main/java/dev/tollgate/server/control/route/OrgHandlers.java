package dev.tollgate.server.control.route;

import dev.tollgate.server.account.org.OrgPatch;
import dev.tollgate.server.account.org.OrgService;
import dev.tollgate.server.account.org.OrgService.Membership;
import dev.tollgate.server.account.org.OrgService.NewOrg;
import dev.tollgate.server.account.org.OrgView;
import java.sql.SQLException;
import java.util.List;

/** Handlers of the calls of organizations. */
public final class OrgHandlers {
  private OrgHandlers() {}

  /** All organizations of the calling person. */
  record MembershipList(List<Membership> data, int total) {}

  public static void add(Handlers.Builder handlers, OrgService orgs) {
    handlers
        .on(Route.ORGS, call -> memberships(call, orgs))
        .on(Route.ORG_CREATE, call -> create(call, orgs))
        .on(Route.ORG, call -> shown(orgs.get(call.org())))
        .on(Route.ORG_CHANGE, call -> change(call, orgs))
        .on(Route.ORG_CLOSE, call -> close(call, orgs));
  }

  private static ControlReply memberships(ControlRequest call, OrgService orgs)
      throws SQLException {
    List<Membership> all = orgs.memberships(call.caller());
    return ControlReply.ok(new MembershipList(all, all.size()));
  }

  private static ControlReply create(ControlRequest call, OrgService orgs) throws SQLException {
    OrgView made = orgs.create(call.caller(), call.body(NewOrg.class), call.claim());
    return ControlReply.created(made, made.version());
  }

  private static ControlReply change(ControlRequest call, OrgService orgs) throws SQLException {
    return shown(orgs.change(call.org(), call.body(OrgPatch.class), call.meta().expectedVersion()));
  }

  private static ControlReply close(ControlRequest call, OrgService orgs) throws SQLException {
    orgs.close(call.org());
    return ControlReply.noContent();
  }

  /** Returns the reply of an organization, with its version. */
  static ControlReply shown(OrgView org) {
    return ControlReply.versioned(org, org.version());
  }
}
