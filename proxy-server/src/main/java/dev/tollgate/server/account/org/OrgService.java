package dev.tollgate.server.account.org;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.AccountTransactions;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.ShownOrgState;
import dev.tollgate.server.account.Versioned;
import dev.tollgate.server.account.org.OrgView.Policy;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.tenants.Organizations;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.IntSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Service of organizations for their members. */
public final class OrgService {
  private static final String MEMBERSHIPS =
      """
      SELECT o.id, o.name, o.display_name,
             CASE WHEN o.closed_at IS NULL THEN o.state ELSE 'closed' END AS shown_state,
             m.role, m.joined_at
        FROM membership m JOIN organization o ON o.id = m.org_id
       WHERE m.user_id = ? ORDER BY o.name""";

  private final DataSource pool;
  private final Organizations organizations;
  private final IntSupplier keysMax;
  private final boolean isSignUpOpen;
  private final Runnable onChange;

  /**
   * @param keysMax maximum of keys of an organization without its own
   * @param isSignUpOpen true if every person may create organizations; else operators do
   * @param onChange called after each commit that keys depend on
   */
  public OrgService(
      DataSource pool,
      Organizations organizations,
      IntSupplier keysMax,
      boolean isSignUpOpen,
      Runnable onChange) {
    this.pool = pool;
    this.organizations = organizations;
    this.keysMax = keysMax;
    this.isSignUpOpen = isSignUpOpen;
    this.onChange = onChange;
  }

  /** Organization that a person is a member of. */
  public record Membership(
      UUID id,
      String name,
      @Nullable String displayName,
      @OneOf(ShownOrgState.class) String state,
      Role role,
      Instant joinedAt) {}

  /** Organization to create. */
  public record NewOrg(String name, @Nullable String displayName) {}

  /** Returns the organizations of the calling person, by name; of other callers none. */
  public List<Membership> memberships(Caller caller) throws SQLException {
    if (caller.principal() instanceof Principal.Anonymous) {
      throw Refused.unauthenticated();
    }
    if (!(caller.principal() instanceof Principal.Person person)) {
      return List.of();
    }
    return Statements.list(
        pool,
        MEMBERSHIPS,
        row ->
            new Membership(
                row.getObject("id", UUID.class),
                row.getString("name"),
                row.getString("display_name"),
                row.getString("shown_state"),
                Role.parse(row.getString("role")).orElseThrow(),
                Statements.requiredInstant(row, "joined_at")),
        person.id().value());
  }

  /** Creates an organization whose owner is the calling person. */
  public OrgView create(Caller caller, NewOrg wish, IdempotencyClaim claim) throws SQLException {
    Principal.Person person = caller.person();
    if (!isSignUpOpen && !person.isOperator()) {
      throw Refused.forbidden();
    }
    OrgRows.requireName(wish.name());
    OrgRows.requireDisplayName(wish.displayName());
    return AccountTransactions.create(
        pool,
        claim,
        connection -> {
          OrgId org = insert(connection, organizations, wish);
          Statements.update(
              connection,
              "INSERT INTO membership (org_id, user_id, role) VALUES (?, ?, ?)",
              org.value(),
              person.id().value(),
              Role.OWNER.wire());
          OrgView made = OrgRows.find(connection, org, keysMax.getAsInt());
          AuditTrail.write(connection, caller, org, AuditAction.ORG_CREATE, made.target());
          return made;
        });
  }

  /** Inserts an organization without members, unless another has the name. */
  static OrgId insert(Connection connection, Organizations organizations, NewOrg wish)
      throws SQLException {
    OrgId org =
        organizations
            .insert(connection, wish.name(), null)
            .orElseThrow(() -> Refused.conflict(RefusalReason.NAME_TAKEN))
            .org()
            .id();
    if (wish.displayName() != null) {
      Statements.update(
          connection,
          "UPDATE organization SET display_name = ? WHERE id = ?",
          wish.displayName(),
          org.value());
    }
    return org;
  }

  public OrgView get(OrgAccess access) throws SQLException {
    access.require(Permission.ORG_READ);
    try (Connection connection = pool.getConnection()) {
      return OrgRows.find(connection, access.org(), keysMax.getAsInt());
    }
  }

  /**
   * Changes names and the key policy.
   *
   * @param version the version that the caller saw; null: whichever it is
   */
  public OrgView change(OrgAccess access, OrgPatch patch, @Nullable Integer version)
      throws SQLException {
    access.require(Permission.ORG_UPDATE);
    OrgRows.requireDisplayName(patch.displayName().applyToNullable(null));
    if (patch.name().isSet()) {
      OrgRows.requireName(patch.name().applyTo(""));
    }
    return AccountTransactions.run(
        pool,
        onChange,
        connection -> {
          OrgView before = OrgRows.lock(connection, access.org(), keysMax.getAsInt());
          Versioned.requireSeen(version, before.version());
          update(connection, access.org(), patch, before);
          return audited(connection, access, AuditAction.ORG_UPDATE, before);
        });
  }

  private static void update(Connection connection, OrgId org, OrgPatch patch, OrgView before)
      throws SQLException {
    OrgPatch.PolicyPatch policyPatch = patch.keyPolicy();
    Policy policy =
        policyPatch == null ? before.keyPolicy() : policyPatch.applyTo(before.keyPolicy());
    requireUsable(policy);
    Statements.update(
        connection,
        "UPDATE organization SET display_name = ?, developers_create = ?, key_daily_max_micro = ?,"
            + " key_monthly_max_micro = ?, key_days_max = ? WHERE id = ?",
        patch.displayName().applyToNullable(before.displayName()),
        policy.developersCreate(),
        policy.dailyBudgetMaxMicro(),
        policy.monthlyBudgetMaxMicro(),
        policy.daysMax(),
        org.value());
    String name = patch.name().applyTo(before.name());
    if (!name.equals(before.name())) {
      OrgRows.rename(connection, org, name);
    }
  }

  private static void requireUsable(Policy policy) {
    Integer days = policy.daysMax();
    if (days != null && days < 1) {
      throw Refused.invalid("key_policy.days_max", "must be above 0");
    }
    OrgRows.requireMicro("key_policy.daily_budget_max_micro", policy.dailyBudgetMaxMicro());
    OrgRows.requireMicro("key_policy.monthly_budget_max_micro", policy.monthlyBudgetMaxMicro());
  }

  private OrgView audited(
      Connection connection, OrgAccess access, AuditAction action, OrgView before)
      throws SQLException {
    OrgView after = OrgRows.find(connection, access.org(), keysMax.getAsInt());
    Change[] changes = OrgRows.changes(before, after).toArray(Change[]::new);
    AuditTrail.write(connection, access, action, after.target(), changes);
    return after;
  }

  /**
   * Closes an organization: its keys and tokens are revoked and its invitations withdrawn. What it
   * was stays readable; only an operator opens it again.
   */
  public void close(OrgAccess access) throws SQLException {
    access.require(Permission.ORG_CLOSE);
    AccountTransactions.run(
        pool,
        onChange,
        connection -> {
          OrgView before = OrgRows.lock(connection, access.org(), keysMax.getAsInt());
          if (before.state().equals("closed")) {
            return before;
          }
          UUID org = access.org().value();
          Statements.update(
              connection,
              "UPDATE organization SET state = 'suspended', closed_at = ledger_now() WHERE id = ?",
              org);
          Statements.update(
              connection,
              "UPDATE api_key SET state = 'revoked', revoked_at = now()"
                  + " WHERE org_id = ? AND state <> 'revoked'",
              org);
          Statements.update(
              connection,
              "UPDATE control_token SET revoked_at = ledger_now()"
                  + " WHERE org_id = ? AND revoked_at IS NULL",
              org);
          Statements.update(
              connection,
              "UPDATE invitation SET revoked_at = ledger_now()"
                  + " WHERE org_id = ? AND accepted_at IS NULL AND revoked_at IS NULL",
              org);
          return audited(connection, access, AuditAction.ORG_CLOSE, before);
        });
  }
}
