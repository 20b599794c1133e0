package dev.tollgate.server.account.org;

import dev.tollgate.server.account.Role;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Open invitation.
 *
 * @param inviteUrl the link, once, where mail does not reach people
 */
public record InvitationView(
    UUID id,
    String email,
    Role role,
    Instant createdAt,
    Instant expiresAt,
    String invitedBy,
    @Nullable String inviteUrl) {
  InvitationView withUrl(@Nullable String url) {
    return new InvitationView(id, email, role, createdAt, expiresAt, invitedBy, url);
  }

  @Override
  public String toString() {
    return "InvitationView[id=" + id + ", email=" + email + ", role=" + role + "]";
  }
}
