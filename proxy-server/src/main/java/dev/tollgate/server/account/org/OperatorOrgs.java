package dev.tollgate.server.account.org;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.AccountTransactions;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.Page.Slice;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.ShownOrgState;
import dev.tollgate.server.account.Versioned;
import dev.tollgate.server.account.WireName;
import dev.tollgate.server.account.org.OrgService.NewOrg;
import dev.tollgate.server.account.signin.EmailAddress;
import dev.tollgate.server.postgres.session.SqlParts;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.tenants.Organizations;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Service of organizations for operators. */
public final class OperatorOrgs {
  @SuppressWarnings("InlineFormatString") // apart from the code that fills it
  private static final String LIST =
      """
      WITH listed AS (
        SELECT %s,
               coalesce(b.limit_micro, 0) - coalesce(b.used_micro, 0) AS balance_micro,
               coalesce(m.used_micro, 0) AS month_micro,
               (SELECT coalesce(u.email, u.name) FROM membership s
                  JOIN user_account u ON u.id = s.user_id
                 WHERE s.org_id = o.id AND s.role = 'owner' ORDER BY s.joined_at LIMIT 1) AS owner
          FROM organization o
         CROSS JOIN (SELECT to_char(ledger_now() AT TIME ZONE 'UTC', 'YYYY-MM') AS month OFFSET 0) now
          LEFT JOIN scope_account b ON b.scope_id = ('org:' || o.id) COLLATE "C"
          LEFT JOIN scope_account m
            ON m.scope_id = ('orgm:' || o.id || ':' || now.month) COLLATE "C"),
      sorted AS (SELECT l.*, %s AS sorted_by FROM listed l),
      page AS (SELECT * FROM sorted l WHERE true""";

  /** Summed for the organizations of the page alone. */
  private static final String MARGINS =
      """
      )
      SELECT l.*, (
             SELECT coalesce(sum(u.cost_micro - u.operator_cost_micro), 0)
               FROM usage_hour u
              WHERE u.org_id = l.id AND u.operator_cost_micro <> u.cost_micro
                AND u.slot >= (SELECT date_trunc('month', ledger_now(), 'UTC'))) AS margin_micro
        FROM page l
      """;

  private final DataSource pool;
  private final Organizations organizations;
  private final IntSupplier keysMax;
  private final Invitations invitations;
  private final Runnable onChange;

  /**
   * @param keysMax maximum of keys of an organization without its own
   * @param onChange called after each commit of a change
   */
  public OperatorOrgs(
      DataSource pool,
      Organizations organizations,
      IntSupplier keysMax,
      Invitations invitations,
      Runnable onChange) {
    this.pool = pool;
    this.organizations = organizations;
    this.keysMax = keysMax;
    this.invitations = invitations;
    this.onChange = onChange;
  }

  /** Order of a list of organizations: by name, or by an amount, the largest first. */
  public enum OrgSort {
    NAME("l.name", "text", "[^\\x00]*", true),
    SPEND("l.month_micro", "bigint", Page.NUMBER, false),
    BALANCE("l.balance_micro", "bigint", "-?" + Page.NUMBER, false);

    private final String column;
    private final String type;
    private final String pattern;
    private final boolean isAscending;

    OrgSort(String column, String type, String pattern, boolean isAscending) {
      this.column = column;
      this.type = type;
      this.pattern = pattern;
      this.isAscending = isAscending;
    }

    private String behind() {
      return "(sorted_by, l.id) %s (?::%s, ?::uuid)".formatted(isAscending ? ">" : "<", type);
    }

    private String order() {
      return "ORDER BY sorted_by %1$s, l.id %1$s LIMIT ?".formatted(isAscending ? "ASC" : "DESC");
    }
  }

  /**
   * Filter and order of a list of organizations.
   *
   * @param states empty: all
   * @param text the begin of a name, or the id; null: any
   */
  public record OrgQuery(List<String> states, @Nullable String text, OrgSort sort) {
    public static final OrgQuery ALL = new OrgQuery(List.of(), null, OrgSort.NAME);

    public OrgQuery {
      if (!ShownOrgState.names().containsAll(states)) {
        throw Refused.invalid("state", "must be active, suspended or closed");
      }
      states = List.copyOf(states);
    }
  }

  /**
   * Organization with what only operators see.
   *
   * @param monthMicro what it spent in the running month
   * @param monthMarginMicro what of that the operator keeps
   * @param owner address of the owner who joined first; null: it has none
   */
  public record OrgEntry(
      OrgView organization,
      long balanceMicro,
      long monthMicro,
      long monthMarginMicro,
      @Nullable String owner) {

    /** Returns what the operator paid for it in the running month. */
    public long monthOperatorCostMicro() {
      return monthMicro - monthMarginMicro;
    }
  }

  /**
   * Organization to create.
   *
   * @param ownerEmail who gets an invitation to be its owner; null: no one
   */
  public record OperatorNewOrg(
      String name,
      @Nullable String displayName,
      @Nullable String ownerEmail,
      @Nullable Long monthlyLimitMicro,
      @Nullable Long monthlyLimitCapMicro) {}

  /**
   * Organization that was created.
   *
   * @param inviteUrl the link for its owner, if mail does not reach people
   */
  public record Created(OrgView organization, @Nullable String inviteUrl) {}

  /** State that an operator sets. */
  public enum OrgState implements WireName {
    ACTIVE,
    SUSPENDED
  }

  /**
   * Change of an organization by an operator; a field that is not given stays.
   *
   * @param closed false opens a closed organization again
   * @param maxApiKeys null: as configured; 0: no limit
   * @param reason for the audit log
   */
  public record OperatorOrgPatch(
      Patch<OrgState> state,
      Patch<String> name,
      Patch<@Nullable Long> monthlyLimitMicro,
      Patch<@Nullable Long> monthlyLimitCapMicro,
      Patch<@Nullable Integer> maxApiKeys,
      Patch<Boolean> closed,
      @Nullable String reason) {}

  private record Listed(OrgEntry entry, String position) {}

  public Slice<OrgEntry> list(Caller caller, OrgQuery query, Page page) throws SQLException {
    caller.requireOperator();
    OrgSort sort = query.sort();
    SqlParts sql =
        new SqlParts()
            .add(LIST.formatted(OrgRows.COLUMNS, sort.column))
            .and(query.states(), "l.shown_state = ANY (?)")
            .and(
                query.text(),
                "(starts_with(lower(l.name), lower(?)) OR l.id::text = ?"
                    + " OR starts_with(lower(l.display_name), lower(?)))")
            .andEach(page.position(Page.UUID, sort.pattern).reversed(), sort.behind())
            .add(sort.order(), page.limit() + 1)
            .add(MARGINS)
            .add(sort.order(), page.limit() + 1);
    return page.slice(sql.list(pool, this::read), Listed::position).map(Listed::entry);
  }

  private Listed read(ResultSet row) throws SQLException {
    OrgView organization = OrgRows.read(row, keysMax.getAsInt());
    return new Listed(
        new OrgEntry(
            organization,
            row.getLong("balance_micro"),
            row.getLong("month_micro"),
            row.getLong("margin_micro"),
            row.getString("owner")),
        organization.id() + "|" + row.getString("sorted_by"));
  }

  public Created create(Caller caller, OperatorNewOrg wish, IdempotencyClaim claim)
      throws SQLException {
    caller.requireOperator();
    OrgRows.requireName(wish.name());
    OrgRows.requireDisplayName(wish.displayName());
    Optional<EmailAddress> owner =
        Optional.ofNullable(wish.ownerEmail())
            .map(email -> EmailAddress.require("owner_email", email));
    return AccountTransactions.create(
        pool,
        claim,
        connection -> {
          OrgId org =
              OrgService.insert(
                  connection, organizations, new NewOrg(wish.name(), wish.displayName()));
          setLimits(connection, org, wish.monthlyLimitMicro(), wish.monthlyLimitCapMicro());
          OrgView made = OrgRows.find(connection, org, keysMax.getAsInt());
          AuditTrail.write(connection, caller, org, AuditAction.ORG_CREATE, made.target());
          String url =
              owner.isEmpty()
                  ? null
                  : invitations.inviteOwner(connection, caller, made, owner.get()).inviteUrl();
          return new Created(made, url);
        });
  }

  private static void setLimits(
      Connection connection, OrgId org, @Nullable Long limit, @Nullable Long cap)
      throws SQLException {
    OrgRows.requireMicro("monthly_limit_micro", limit);
    OrgRows.requireMicro("monthly_limit_cap_micro", cap);
    if (cap != null && limit != null && limit > cap) {
      throw Refused.invalid("monthly_limit_micro", RefusalReason.OVER_CAP);
    }
    Statements.update(
        connection,
        "UPDATE organization SET monthly_limit_micro = ?::bigint, monthly_limit_cap_micro = ?"
            + " WHERE id = ?",
        limit == null ? cap : limit,
        cap,
        org.value());
  }

  /**
   * Changes an organization. With a cap there is always a limit, at most the cap.
   *
   * @param version the version that the caller saw; null: whichever it is
   */
  public OrgView change(OrgAccess access, OperatorOrgPatch patch, @Nullable Integer version)
      throws SQLException {
    access.caller().requireOperator();
    if (patch.name().isSet()) {
      OrgRows.requireName(patch.name().applyTo(""));
    }
    if (patch.closed().applyTo(false)) {
      throw Refused.invalid("closed", "must be false: an organization is closed by DELETE");
    }
    return AccountTransactions.run(
        pool,
        onChange,
        connection -> {
          OrgView before = OrgRows.lock(connection, access.org(), keysMax.getAsInt());
          Versioned.requireSeen(version, before.version());
          update(connection, access.org(), patch, before);
          OrgView after = OrgRows.find(connection, access.org(), keysMax.getAsInt());
          List<Change> changes = new ArrayList<>(OrgRows.changes(before, after));
          changes.add(new Change("reason", null, patch.reason()));
          AuditTrail.write(
              connection,
              access,
              action(before, after),
              after.target(),
              changes.toArray(Change[]::new));
          return after;
        });
  }

  private static void update(
      Connection connection, OrgId org, OperatorOrgPatch patch, OrgView before)
      throws SQLException {
    boolean isClosed = before.state().equals("closed");
    boolean isReopened = isClosed && patch.closed().isSet();
    if (isClosed && !isReopened && patch.state().isSet()) {
      throw Refused.conflict("The organization is closed; open it with \"closed\": false.");
    }
    if (isReopened || patch.state().isSet()) {
      Statements.update(
          connection,
          "UPDATE organization SET state = ?, closed_at = NULL WHERE id = ?",
          patch.state().applyTo(OrgState.ACTIVE).wire(),
          org.value());
    }
    if (patch.monthlyLimitMicro().isSet() || patch.monthlyLimitCapMicro().isSet()) {
      setLimits(connection, org, patch, before);
    }
    if (patch.maxApiKeys().isSet()) {
      setKeysMax(connection, org, patch.maxApiKeys().applyToNullable(null));
    }
    String name = patch.name().applyTo(before.name());
    if (!name.equals(before.name())) {
      OrgRows.rename(connection, org, name);
    }
  }

  private static void setLimits(
      Connection connection, OrgId org, OperatorOrgPatch patch, OrgView before)
      throws SQLException {
    Long cap = patch.monthlyLimitCapMicro().applyToNullable(before.monthlyLimitCapMicro());
    Long limit = patch.monthlyLimitMicro().applyToNullable(before.monthlyLimitMicro());
    boolean isLowered = limit != null && cap != null && limit > cap;
    if (isLowered && !patch.monthlyLimitMicro().isSet()) {
      limit = cap;
    }
    setLimits(connection, org, limit, cap);
  }

  private static void setKeysMax(Connection connection, OrgId org, @Nullable Integer max)
      throws SQLException {
    if (max != null && max < 0) {
      throw Refused.invalid("max_api_keys", "must not be below 0");
    }
    Statements.update(
        connection, "UPDATE organization SET max_api_keys = ? WHERE id = ?", max, org.value());
  }

  private static AuditAction action(OrgView before, OrgView after) {
    if (before.state().equals("closed") && !after.state().equals("closed")) {
      return AuditAction.ORG_REOPEN;
    }
    if (!before.state().equals(after.state())) {
      return after.state().equals("active") ? AuditAction.ORG_ACTIVATE : AuditAction.ORG_SUSPEND;
    }
    boolean isSameCap =
        Objects.equals(before.monthlyLimitCapMicro(), after.monthlyLimitCapMicro())
            && before.keys().max() == after.keys().max();
    return isSameCap ? AuditAction.ORG_UPDATE : AuditAction.ORG_CAP;
  }
}
