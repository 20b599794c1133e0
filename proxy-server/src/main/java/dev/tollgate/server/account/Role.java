package dev.tollgate.server.account;

import static dev.tollgate.server.account.Permission.AUDIT_READ;
import static dev.tollgate.server.account.Permission.INVITATIONS_READ;
import static dev.tollgate.server.account.Permission.INVITATIONS_WRITE;
import static dev.tollgate.server.account.Permission.KEYS_WRITE_ALL;
import static dev.tollgate.server.account.Permission.KEYS_WRITE_OWN;
import static dev.tollgate.server.account.Permission.LEDGER_READ;
import static dev.tollgate.server.account.Permission.MEMBERS_WRITE;
import static dev.tollgate.server.account.Permission.ORG_READ;
import static dev.tollgate.server.account.Permission.ORG_UPDATE;
import static dev.tollgate.server.account.Permission.SPENDING_LIMIT_WRITE;
import static dev.tollgate.server.account.Permission.WEBHOOK_SECRET_REVEAL;
import static dev.tollgate.server.account.Permission.WEBHOOK_SECRET_ROTATE;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Role of a member in an organization: a named set of permissions. */
public enum Role implements WireName {
  VIEWER(EnumSet.of(ORG_READ)),
  DEVELOPER(EnumSet.of(ORG_READ, KEYS_WRITE_OWN, WEBHOOK_SECRET_REVEAL)),
  BILLING(EnumSet.of(ORG_READ, LEDGER_READ, SPENDING_LIMIT_WRITE)),
  ADMIN(
      EnumSet.of(
          ORG_READ,
          ORG_UPDATE,
          MEMBERS_WRITE,
          INVITATIONS_READ,
          INVITATIONS_WRITE,
          KEYS_WRITE_OWN,
          KEYS_WRITE_ALL,
          LEDGER_READ,
          SPENDING_LIMIT_WRITE,
          WEBHOOK_SECRET_REVEAL,
          WEBHOOK_SECRET_ROTATE,
          AUDIT_READ)),
  OWNER(EnumSet.allOf(Permission.class));

  @SuppressWarnings("ImmutableEnumChecker") // an unmodifiable copy
  private final Set<Permission> permissions;

  Role(Set<Permission> permissions) {
    this.permissions = Set.copyOf(permissions);
  }

  public Set<Permission> permissions() {
    return permissions;
  }

  /** Returns the role of a name on the wire; empty if there is none. */
  public static Optional<Role> parse(String wire) {
    for (Role role : values()) {
      if (role.wire().equals(wire)) {
        return Optional.of(role);
      }
    }
    return Optional.empty();
  }
}
