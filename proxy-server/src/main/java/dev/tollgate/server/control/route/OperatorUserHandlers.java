package dev.tollgate.server.control.route;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.tollgate.server.account.signin.OperatorUsers;
import dev.tollgate.server.account.signin.OperatorUsers.UserChanges;
import dev.tollgate.server.account.signin.OperatorUsers.UserEntry;
import dev.tollgate.server.account.signin.OperatorUsers.UserQuery;
import dev.tollgate.server.account.signin.UserState;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Handlers of the calls of operators about people's accounts. */
public final class OperatorUserHandlers {
  private OperatorUserHandlers() {}

  /** Query of a page of accounts. */
  record ListQuery(@JsonUnwrapped UserQuery filter, PageRequest page) {}

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
        .replies(Route.USERS, call -> list(call, users))
        .replies(Route.USER, call -> users.get(call.caller(), call.path().user()))
        .replies(Route.USER_CHANGE, call -> change(call, users))
        .replies(
            Route.USER_RESET_LINK,
            call -> new ResetLink(users.resetLink(call.caller(), call.path().user()).orElse(null)))
        .empty(
            Route.USER_SESSIONS_END,
            call -> {
              int _ = users.endSessions(call.caller(), call.path().user());
            });
  }

  private static ListPage<UserEntry> list(ControlRequest call, OperatorUsers users)
      throws SQLException {
    ListQuery query = call.query(ListQuery.class);
    return query.page().page(users.list(call.caller(), query.filter(), query.page().part()));
  }

  private static UserEntry change(ControlRequest call, OperatorUsers users) throws SQLException {
    UserEdit edit = call.body(UserEdit.class);
    var changes = new UserChanges(edit.state(), edit.operator(), call.meta().expectedVersion());
    return users.change(call.caller(), call.path().user(), changes);
  }
}
