package dev.tollgate.server.control.route;

import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.signin.OperatorUsers;
import dev.tollgate.server.account.signin.OperatorUsers.UserChanges;
import dev.tollgate.server.account.signin.OperatorUsers.UserEntry;
import dev.tollgate.server.account.signin.OperatorUsers.UserQuery;
import dev.tollgate.server.account.signin.UserState;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Handlers of the calls of operators about people's accounts. */
public final class OperatorUserHandlers {
  private OperatorUserHandlers() {}

  /**
   * Query of a list of accounts.
   *
   * @param q part of an address or a name
   */
  record UserFilters(
      @Nullable String q,
      @Nullable UserState state,
      @Nullable Boolean operator,
      PageRequest page) {}

  /** Change of an account; null keeps. */
  record UserEdit(@Nullable UserState state, @Nullable Boolean operator) {}

  /**
   * Link that sets a new password.
   *
   * @param resetUrl null if it was sent by mail
   */
  record ResetLink(@Nullable String resetUrl) {}

  public static void add(Handlers.Builder handlers, OperatorUsers users) {
    handlers
        .on(Route.USERS, call -> list(call, users))
        .on(Route.USER, call -> shown(users.get(call.caller(), user(call))))
        .on(Route.USER_CHANGE, call -> change(call, users))
        .on(Route.USER_RESET_LINK, call -> resetLink(call, users))
        .on(Route.USER_SESSIONS_END, call -> endSessions(call, users));
  }

  private static ControlReply list(ControlRequest call, OperatorUsers users) throws SQLException {
    UserFilters filters = call.query(UserFilters.class);
    PageRequest page = filters.page();
    List<UserEntry> read =
        users.list(
            call.caller(),
            new UserQuery(
                filters.q(), filters.state(), filters.operator(), after(page), page.limit()));
    if (read.size() <= page.limit()) {
      return ControlReply.ok(new ListPage<>(read, null));
    }
    List<UserEntry> rows = read.subList(0, page.limit());
    return ControlReply.ok(new ListPage<>(rows, page.next(rows.getLast().id().toString())));
  }

  private static @Nullable UserId after(PageRequest page) {
    String position = page.position();
    try {
      return position == null ? null : new UserId(UUID.fromString(position));
    } catch (IllegalArgumentException _) {
      throw Refused.invalid("cursor", "is not a cursor of this list");
    }
  }

  private static ControlReply change(ControlRequest call, OperatorUsers users) throws SQLException {
    UserEdit edit = call.body(UserEdit.class);
    var changes = new UserChanges(edit.state(), edit.operator(), call.meta().expectedVersion());
    return shown(users.change(call.caller(), user(call), changes));
  }

  private static ControlReply resetLink(ControlRequest call, OperatorUsers users)
      throws SQLException {
    return ControlReply.ok(new ResetLink(users.resetLink(call.caller(), user(call)).orElse(null)));
  }

  private static ControlReply endSessions(ControlRequest call, OperatorUsers users)
      throws SQLException {
    int _ = users.endSessions(call.caller(), user(call));
    return ControlReply.noContent();
  }

  private static ControlReply shown(UserEntry user) {
    return ControlReply.versioned(user, user.version());
  }

  private static UserId user(ControlRequest call) {
    return new UserId(call.path().uuid("user"));
  }
}
