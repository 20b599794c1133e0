package dev.tollgate.server.account.signin;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.account.AuditEntry.Target;
import dev.tollgate.server.account.UserId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Row of a person's account.
 *
 * @param email empty once the account is closed
 * @param passwordHash null if the account has no password
 */
public record User(
    UserId id,
    String email,
    String name,
    UserState state,
    boolean isOperator,
    @Nullable Secret passwordHash,
    String timezone,
    String locale,
    Instant createdAt,
    int version) {

  /** Returns the account as the object of an action in the audit log. */
  public Target target() {
    return new Target("user", id.toString(), email);
  }

  /** Returns the address of an account that is not closed. */
  EmailAddress address() {
    return EmailAddress.parse(email)
        .orElseThrow(() -> new IllegalStateException("the store contains an invalid address"));
  }
}
