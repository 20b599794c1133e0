package dev.tollgate.server.control.route;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.signin.OwnAccount;
import dev.tollgate.server.account.signin.OwnAccount.AccountChanges;
import dev.tollgate.server.account.signin.SessionView.UserView;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Handlers of a person's own account. */
public final class OwnAccountHandlers {
  private final OwnAccount account;
  private final SessionReplies replies;

  private OwnAccountHandlers(OwnAccount account, SessionReplies replies) {
    this.account = account;
    this.replies = replies;
  }

  /** Fields to change. */
  public record ProfilePatch(Patch<String> name, Patch<String> timezone, Patch<String> locale) {}

  /**
   * New password.
   *
   * @param current null: the account has none
   */
  public record PasswordChange(
      @Nullable Secret current, @RecordMembers.MemberName("new") Secret changed) {}

  /** Address of a mailbox. */
  public record EmailRequest(String email) {}

  public static void add(Handlers.Builder handlers, OwnAccount account, SessionReplies replies) {
    var own = new OwnAccountHandlers(account, replies);
    handlers
        .on(Route.PROFILE_UPDATE, own::update)
        .on(Route.PASSWORD_CHANGE, own::changePassword)
        .on(Route.EMAIL_CHANGE, own::changeEmail)
        .on(Route.ACCOUNT_CLOSE, own::close);
  }

  private ControlReply update(ControlRequest call) throws SQLException {
    ProfilePatch patch = call.body(ProfilePatch.class);
    var changes =
        new AccountChanges(
            valueOf(patch.name()),
            valueOf(patch.timezone()),
            valueOf(patch.locale()),
            call.meta().expectedVersion());
    UserView user = account.update(call.caller(), changes);
    return ControlReply.versioned(user, user.version());
  }

  private static @Nullable String valueOf(Patch<String> patch) {
    return switch (patch) {
      case Patch.Keep<String> _ -> null;
      case Patch.Set<String>(String value) -> value;
    };
  }

  private ControlReply changePassword(ControlRequest call) throws SQLException {
    PasswordChange change = call.body(PasswordChange.class);
    return replies.continued(
        account.changePassword(call.caller(), change.current(), change.changed()));
  }

  private ControlReply changeEmail(ControlRequest call) throws SQLException {
    account.changeEmail(call.caller(), call.body(EmailRequest.class).email());
    return ControlReply.accepted();
  }

  private ControlReply close(ControlRequest call) throws SQLException {
    account.close(call.caller());
    return replies.signedOut();
  }
}
