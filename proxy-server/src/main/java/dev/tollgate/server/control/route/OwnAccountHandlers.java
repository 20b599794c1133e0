package dev.tollgate.server.control.route;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.signin.OwnAccount;
import dev.tollgate.server.account.signin.OwnAccount.AccountChanges;
import dev.tollgate.server.account.signin.SessionView.UserView;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Handlers of a person's own account. */
public final class OwnAccountHandlers {
  private OwnAccountHandlers() {}

  /** Fields to change. */
  public record ProfilePatch(Patch<String> name, Patch<String> timezone, Patch<String> locale) {}

  /**
   * New password.
   *
   * @param current null: the account has none
   */
  public record PasswordChange(@Nullable Secret current, @JsonProperty("new") Secret changed) {}

  /** Address of a mailbox. */
  public record EmailRequest(String email) {}

  public static void add(Handlers.Builder handlers, OwnAccount account, SessionReplies replies) {
    handlers
        .replies(Route.PROFILE_UPDATE, call -> update(call, account))
        .on(
            Route.PASSWORD_CHANGE,
            call -> {
              PasswordChange change = call.body(PasswordChange.class);
              return replies.continued(
                  account.changePassword(call.caller(), change.current(), change.changed()));
            })
        .empty(
            Route.EMAIL_CHANGE,
            call -> account.changeEmail(call.caller(), call.body(EmailRequest.class).email()))
        .on(
            Route.ACCOUNT_CLOSE,
            call -> {
              account.close(call.caller());
              return replies.signedOut();
            });
  }

  private static UserView update(ControlRequest call, OwnAccount account) throws SQLException {
    ProfilePatch patch = call.body(ProfilePatch.class);
    return account.update(
        call.caller(),
        new AccountChanges(
            patch.name().applyToNullable(null),
            patch.timezone().applyToNullable(null),
            patch.locale().applyToNullable(null),
            call.meta().expectedVersion()));
  }
}
