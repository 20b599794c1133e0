package dev.tollgate.server.account;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.AuditEntry.Target;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Proof that a caller may see an organization, and the permissions that it has there. Only {@link
 * #of} makes one, with the rows as they are at this moment, so what is taken away acts on the next
 * call.
 */
public final class OrgAccess {
  private static final Set<Permission> OF_TOKENS =
      Arrays.stream(Permission.values())
          .filter(each -> !each.isForPeopleOnly())
          .collect(Collectors.toUnmodifiableSet());
  private static final String SELECT =
      """
      SELECT o.name, o.state, m.role
        FROM organization o
        LEFT JOIN membership m ON m.org_id = o.id AND m.user_id = ?
       WHERE o.id = ?""";

  private final Caller caller;
  private final OrgId org;
  private final String orgName;
  private final boolean isSuspended;
  private final @Nullable Role role;
  private final Set<Permission> permissions;

  private OrgAccess(
      Caller caller,
      OrgId org,
      String orgName,
      boolean isSuspended,
      @Nullable Role role,
      Set<Permission> permissions) {
    this.caller = caller;
    this.org = org;
    this.orgName = orgName;
    this.isSuspended = isSuspended;
    this.role = role;
    this.permissions = permissions;
  }

  /**
   * Returns the access of a caller to an organization.
   *
   * @throws Refused 404 if the organization does not exist or the caller has nothing to do with it;
   *     401 without credentials
   */
  public static OrgAccess of(DataSource pool, Caller caller, OrgId org) throws SQLException {
    if (caller.principal() instanceof Principal.Anonymous) {
      throw Refused.unauthenticated();
    }
    UUID user = caller.principal() instanceof Principal.Person person ? person.id().value() : null;
    return Statements.list(pool, SELECT, row -> read(row, caller, org), user, org.value()).stream()
        .findFirst()
        .orElseThrow(Refused::notFound);
  }

  private static OrgAccess read(ResultSet row, Caller caller, OrgId org) throws SQLException {
    Optional<Role> role = Optional.ofNullable(row.getString("role")).flatMap(Role::parse);
    return new OrgAccess(
        caller,
        org,
        row.getString("name"),
        row.getString("state").equals("suspended"),
        role.orElse(null),
        permissions(caller, org, role).orElseThrow(Refused::notFound));
  }

  /** Returns the caller's permissions; empty if it has nothing to do with the organization. */
  private static Optional<Set<Permission>> permissions(
      Caller caller, OrgId org, Optional<Role> role) {
    return switch (caller.principal()) {
      case Principal.Anonymous _ -> Optional.empty();
      case Principal.Person person ->
          person.isOperator() ? Optional.of(Role.OWNER.permissions()) : role.map(Role::permissions);
      case Principal.Token token -> ofToken(token, org);
      case Principal.Cli _ -> Optional.of(Role.OWNER.permissions());
    };
  }

  private static Optional<Set<Permission>> ofToken(Principal.Token token, OrgId org) {
    return token.isOfPlatform() || (token.role() != null && org.equals(token.org()))
        ? Optional.of(permissions(token))
        : Optional.empty();
  }

  /** Returns the permissions of a token in its organization, or in all if it is the platform's. */
  public static Set<Permission> permissions(Principal.Token token) {
    if (token.isOfPlatform()) {
      return OF_TOKENS;
    }
    Role role = token.role();
    return role == null
        ? Set.of()
        : role.permissions().stream()
            .filter(OF_TOKENS::contains)
            .collect(Collectors.toUnmodifiableSet());
  }

  public Caller caller() {
    return caller;
  }

  public OrgId org() {
    return org;
  }

  /** Returns the organization as the object of an action in the audit log. */
  public Target target() {
    return new Target("organization", org.toString(), orgName);
  }

  /**
   * Locks the organization's row until the transaction ends, so that changes that depend on each
   * other come one after the other.
   *
   * @throws Refused 404 if there is none
   */
  public void lock(Connection connection) throws SQLException {
    if (!Statements.exists(
        connection, "SELECT 1 FROM organization WHERE id = ? FOR NO KEY UPDATE", org.value())) {
      throw Refused.notFound();
    }
  }

  public String orgName() {
    return orgName;
  }

  /** Returns the caller's role as a member; null for an operator, a token or the command line. */
  public @Nullable Role role() {
    return role;
  }

  /** Returns the permissions, sorted by their order of definition when listed. */
  public Set<Permission> permissions() {
    return permissions;
  }

  /** True if the caller acts with an operator's rights instead of a member's. */
  public boolean isViaOperator() {
    return caller.principal() instanceof Principal.Person
        && caller.isOperator()
        && role != Role.OWNER;
  }

  public boolean has(Permission permission) {
    return permissions.contains(permission);
  }

  /**
   * Requires a permission.
   *
   * @throws Refused 403 if the caller does not have it
   */
  public void require(Permission permission) {
    if (has(permission)) {
      return;
    }
    throw permission.isForPeopleOnly() && caller.principal() instanceof Principal.Token
        ? Refused.forbidden(RefusalReason.NOT_A_PERSON)
        : Refused.forbidden();
  }

  /**
   * Requires an organization that is not suspended; every change that could spend or widen rights
   * does. The command line is exempt: it could activate the organization.
   *
   * @throws Refused 403 if it is suspended
   */
  public void requireActive() {
    requireActive(!isSuspended);
  }

  /**
   * The same for the state as a transaction has locked it.
   *
   * @throws Refused 403 if it is suspended
   */
  public void requireActive(boolean isActive) {
    if (!isActive && !(caller.principal() instanceof Principal.Cli)) {
      throw Refused.forbidden(RefusalReason.ORGANIZATION_SUSPENDED);
    }
  }
}
