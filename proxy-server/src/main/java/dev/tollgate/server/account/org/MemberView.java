package dev.tollgate.server.account.org;

import dev.tollgate.server.account.AuditEntry.Target;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.Versioned;
import dev.tollgate.server.account.signin.UserState;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Member of an organization.
 *
 * @param lastSeenAt when a session of the person was used last; null: never
 * @param totp true if the person has a second factor
 * @param keys number of the organization's keys that the person made and that are not revoked
 */
public record MemberView(
    Person user,
    Role role,
    Instant joinedAt,
    @Nullable Instant lastSeenAt,
    boolean totp,
    int keys,
    int version)
    implements Versioned {

  Target target() {
    return new Target("user", user.id().toString(), user.email());
  }

  /** Person who is a member. */
  public record Person(
      UUID id, String name, @Nullable String email, @OneOf(UserState.class) String state) {}
}
