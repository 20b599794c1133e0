package dev.tollgate.server.account.signin;

import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.ShownOrgState;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.Versioned;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Session of a signed-in person as clients see it: the person, the lifetime, and where the person
 * may do what.
 *
 * @param operator true if the person has rights over all organizations
 */
public record SessionView(
    UserView user, SessionLifetime session, List<MembershipView> memberships, boolean operator) {

  /** Account as its owner sees it. */
  public record UserView(
      UserId id,
      String email,
      String name,
      @OneOf(UserState.class) String state,
      String timezone,
      String locale,
      boolean totp,
      boolean password,
      Instant createdAt,
      int version)
      implements Versioned {

    static UserView of(User user) {
      return new UserView(
          user.id(),
          user.email(),
          user.name(),
          user.state().wire(),
          user.timezone(),
          user.locale(),
          false,
          user.passwordHash() != null,
          user.createdAt(),
          user.version());
    }
  }

  /** Times of a session. */
  public record SessionLifetime(
      UUID id, Instant provenAt, Instant idleExpiresAt, Instant expiresAt) {}

  /** Organization of a member. */
  public record OrgSummary(
      UUID id,
      String name,
      @Nullable String displayName,
      @OneOf(ShownOrgState.class) String state) {}

  /** Role of the person in an organization, with the permissions that it is. */
  public record MembershipView(
      OrgSummary org,
      @OneOf(Role.class) String role,
      @OneOf(Permission.class) List<String> permissions) {}
}
