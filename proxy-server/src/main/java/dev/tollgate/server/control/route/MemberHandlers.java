package dev.tollgate.server.control.route;

import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.org.MemberView;
import dev.tollgate.server.account.org.Members;
import java.sql.SQLException;

/** Handlers of the calls of an organization's members. */
public final class MemberHandlers {
  private MemberHandlers() {}

  /** New role of a member. */
  record RoleChange(Role role) {}

  public static void add(Handlers.Builder handlers, Members members) {
    handlers
        .on(Route.MEMBERS, call -> ControlReply.ok(members.list(call.org())))
        .on(Route.MEMBER_CHANGE, call -> change(call, members))
        .on(Route.MEMBER_REMOVE, call -> remove(call, members))
        .on(Route.ORG_LEAVE, call -> leave(call, members));
  }

  private static ControlReply change(ControlRequest call, Members members) throws SQLException {
    MemberView changed =
        members.changeRole(
            call.org(),
            member(call),
            call.body(RoleChange.class).role(),
            call.meta().expectedVersion());
    return ControlReply.versioned(changed, changed.version());
  }

  private static ControlReply remove(ControlRequest call, Members members) throws SQLException {
    members.remove(call.org(), member(call));
    return ControlReply.noContent();
  }

  private static ControlReply leave(ControlRequest call, Members members) throws SQLException {
    members.leave(call.org());
    return ControlReply.noContent();
  }

  private static UserId member(ControlRequest call) {
    return new UserId(call.path().uuid("user"));
  }
}
