package dev.tollgate.server.account.tenant;

import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Service that lists the sums of an organization that have a limit: its month, and the days and
 * months of its keys.
 */
public final class BudgetService {
  /** The most sums that are listed; those that are used most come first. */
  public static final int BUDGETS_MAX = 1000;

  private static final String SELECT =
      """
      WITH now AS MATERIALIZED (
        SELECT to_char(ledger_now() AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day),
      budget AS (
        SELECT 'organization_month' AS scope, NULL AS id, NULL AS name,
               o.monthly_limit_micro AS limit_micro,
               'orgm:' || o.id || ':' || left(now.day, 7) AS scope_id
          FROM organization o CROSS JOIN now WHERE o.id = ?
        UNION ALL
        SELECT b.scope, k.id, k.name, b.limit_micro, b.scope_id
          FROM api_key k CROSS JOIN now
         CROSS JOIN LATERAL (VALUES
           ('key_day', k.daily_budget_micro,
            'keyd:' || coalesce(k.lineage, k.id) || ':' || now.day),
           ('key_month', k.monthly_budget_micro,
            'keym:' || coalesce(k.lineage, k.id) || ':' || left(now.day, 7)))
           AS b (scope, limit_micro, scope_id)
         WHERE k.org_id = ? AND k.state <> 'revoked')
      SELECT b.scope, b.id, b.name, b.limit_micro, now.day,
             coalesce(a.used_micro, 0) AS spent_micro, coalesce(a.leased_micro, 0) AS reserved_micro
        FROM budget b CROSS JOIN now
        LEFT JOIN scope_account a ON a.scope_id = b.scope_id COLLATE "C"
       WHERE b.limit_micro IS NOT NULL
       ORDER BY coalesce(a.used_micro, 0)::numeric / greatest(b.limit_micro, 1) DESC, b.scope, b.id
       LIMIT ?""";

  private final DataSource pool;

  public BudgetService(DataSource pool) {
    this.pool = pool;
  }

  /**
   * Sum with a limit.
   *
   * @param scope organization_month, key_day or key_month
   * @param key null for the organization
   * @param remainingMicro what may still be reserved; never below 0
   */
  public record Budget(
      @OneOf(texts = {"organization_month", "key_day", "key_month"}) String scope,
      @Nullable Key key,
      long limitMicro,
      long spentMicro,
      long reservedMicro,
      long remainingMicro,
      Instant resetsAt,
      long usedPercent) {

    /** Key of a budget. */
    public record Key(String id, String name) {}
  }

  /** Returns the sums, those that are used most first. */
  public List<Budget> budgets(OrgAccess access) throws SQLException {
    access.require(Permission.ORG_READ);
    UUID org = access.org().value();
    return Statements.list(pool, SELECT, BudgetService::read, org, org, BUDGETS_MAX);
  }

  private static Budget read(ResultSet row) throws SQLException {
    String scope = row.getString("scope");
    String id = row.getString("id");
    long limit = row.getLong("limit_micro");
    long spent = row.getLong("spent_micro");
    long reserved = row.getLong("reserved_micro");
    var window = new Window(LocalDate.parse(row.getString("day")));
    ScopeKind kind = scope.equals("key_day") ? ScopeKind.KEY_DAY : ScopeKind.KEY_MONTH;
    return new Budget(
        scope,
        id == null ? null : new Budget.Key(id, row.getString("name")),
        limit,
        spent,
        reserved,
        Math.max(0, limit - spent - reserved),
        window.resetsAt(kind),
        limit == 0 ? 100 : Math.floorDiv(Math.multiplyExact(spent, 100L), limit));
  }
}
