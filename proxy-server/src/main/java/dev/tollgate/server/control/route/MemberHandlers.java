package dev.tollgate.server.control.route;

import dev.tollgate.server.account.Role;
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
        .replies(Route.MEMBERS, call -> members.list(call.org()))
        .replies(Route.MEMBER_CHANGE, call -> change(call, members))
        .empty(Route.MEMBER_REMOVE, call -> members.remove(call.org(), call.path().user()))
        .empty(Route.ORG_LEAVE, call -> members.leave(call.org()));
  }

  private static MemberView change(ControlRequest call, Members members) throws SQLException {
    Role role = call.body(RoleChange.class).role();
    return members.changeRole(call.org(), call.path().user(), role, call.meta().expectedVersion());
  }
}
