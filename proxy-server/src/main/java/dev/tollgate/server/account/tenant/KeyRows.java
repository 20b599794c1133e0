package dev.tollgate.server.account.tenant;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.tenant.KeyQuery.KeySort;
import dev.tollgate.server.account.tenant.KeyView.Creator;
import dev.tollgate.server.account.tenant.KeyView.Limits;
import dev.tollgate.server.account.tenant.KeyView.Spend;
import dev.tollgate.server.postgres.session.SqlParts;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Queries of an organization's API keys with what they spent. The sums of a window belong to all
 * keys of a lineage. Only the rows of a page are joined with all that is shown.
 */
final class KeyRows {
  private static final String STATE =
      "CASE WHEN k.state = 'active' AND k.expires_at <= now.at THEN 'expired' ELSE k.state END";

  private static final String NOW =
      """
      WITH now AS MATERIALIZED (
        SELECT t.at, to_char(t.at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day
          FROM (SELECT ledger_now() AS at) t),
      """;

  private static final String MONTH =
      "LEFT JOIN scope_account m ON m.scope_id = ('keym:' || coalesce(k.lineage, k.id) || ':'"
          + " || left(now.day, 7)) COLLATE \"C\"\n";

  private static final String SHOWN =
      """
      SELECT k.id, k.name, k.note, k.last_four, %s AS shown_state, k.created_at, k.created_by,
             coalesce(u.name, t.name) AS creator_name, k.expires_at, k.revoked_at, k.replaced_by,
             r.id AS replaces, k.allowed_models, k.allowed_modalities, k.allowed_ips,
             k.requests_per_second, k.requests_per_minute, k.tokens_per_minute, k.concurrency,
             k.daily_budget_micro, k.monthly_budget_micro, k.version, l.at AS last_used_at,
             coalesce(d.used_micro, 0) AS today_micro, coalesce(m.used_micro, 0) AS month_micro,
             greatest(d.leased_micro, m.leased_micro, 0) AS reserved_micro, now.day, p.sorted_by
        FROM page p JOIN api_key k ON k.id = p.id CROSS JOIN now
        LEFT JOIN api_key r ON r.org_id = k.org_id AND r.replaced_by = k.id
        LEFT JOIN user_account u
          ON u.id = CASE WHEN k.created_by LIKE 'user:%%' THEN substr(k.created_by, 6)::uuid END
        LEFT JOIN control_token t
          ON t.id = CASE WHEN k.created_by LIKE 'token:%%' THEN substr(k.created_by, 7) END
        LEFT JOIN key_last_used l ON l.key_id = k.id COLLATE "C"
        LEFT JOIN scope_account d ON d.scope_id = ('keyd:' || coalesce(k.lineage, k.id) || ':'
                                                   || now.day) COLLATE "C"
      """
              .formatted(STATE)
          + MONTH;

  private static final String ONE =
      NOW
          + "page AS (SELECT id, '' AS sorted_by FROM api_key WHERE org_id = ? AND id = ?)\n"
          + SHOWN;

  private static final String MATCHING =
      """
        FROM api_key k CROSS JOIN now
      """
          + MONTH
          + """
        LEFT JOIN key_last_used l ON l.key_id = k.id COLLATE "C"
       WHERE k.org_id = ? AND %s = ANY (?)"""
              .formatted(STATE);

  private KeyRows() {}

  static Optional<KeyView> find(
      Connection connection, OrgId org, String id, LimitRules.PerKey defaults) throws SQLException {
    return Statements.first(connection, ONE, row -> read(row, defaults).key(), org.value(), id);
  }

  /** Key with the position after it. */
  record Listed(KeyView key, String position) {}

  /** Returns one row more than the page has, if there is one. */
  static List<Listed> list(
      Connection connection, OrgId org, KeyQuery query, Page page, LimitRules.PerKey defaults)
      throws SQLException {
    KeySort sort = query.sort();
    return matching(
            NOW + "page AS (SELECT k.id, (%s)::text AS sorted_by".formatted(sort.column()),
            org,
            query)
        .andEach(
            page.position(sort.pattern(), "[A-Za-z0-9_-]{1,64}"),
            "(%s, k.id) < (?::%s, ?)".formatted(sort.column(), sort.type()))
        .add("ORDER BY %s DESC, k.id DESC LIMIT ?)".formatted(sort.column()), page.limit() + 1)
        .add(SHOWN)
        .add("ORDER BY %s DESC, k.id DESC".formatted(sort.column()))
        .list(connection, row -> read(row, defaults));
  }

  static long count(Connection connection, OrgId org, KeyQuery query) throws SQLException {
    String select = NOW.stripTrailing().replaceFirst(",$", "\n") + "SELECT count(*)";
    return matching(select, org, query).list(connection, row -> row.getLong(1)).getFirst();
  }

  private static SqlParts matching(String select, OrgId org, KeyQuery query) {
    return new SqlParts()
        .add(select)
        .add(MATCHING, org.value(), query.states())
        .and(query.createdBy(), "k.created_by = ?")
        .and(query.text(), "(starts_with(lower(k.name), lower(?)) OR k.id = ? OR k.last_four = ?)");
  }

  private static Listed read(ResultSet row, LimitRules.PerKey defaults) throws SQLException {
    var limits =
        new Limits(
            Statements.integer(row, "requests_per_second"),
            Statements.integer(row, "requests_per_minute"),
            Statements.number(row, "tokens_per_minute"),
            Statements.integer(row, "concurrency"));
    var key =
        new KeyView(
            row.getString("id"),
            row.getString("name"),
            row.getString("note"),
            row.getString("last_four"),
            row.getString("shown_state"),
            Statements.requiredInstant(row, "created_at"),
            creator(row.getString("created_by"), row.getString("creator_name")),
            Statements.instant(row, "expires_at"),
            Statements.instant(row, "revoked_at"),
            row.getString("replaced_by"),
            row.getString("replaces"),
            Statements.texts(row, "allowed_models"),
            Statements.texts(row, "allowed_modalities"),
            Statements.texts(row, "allowed_ips"),
            limits,
            limits.orElse(defaults),
            Statements.number(row, "daily_budget_micro"),
            Statements.number(row, "monthly_budget_micro"),
            spend(row),
            Statements.instant(row, "last_used_at"),
            row.getInt("version"));
    return new Listed(key, row.getString("sorted_by") + "|" + key.id());
  }

  private static Spend spend(ResultSet row) throws SQLException {
    var window = new Window(LocalDate.parse(row.getString("day")));
    return new Spend(
        row.getLong("today_micro"),
        row.getLong("month_micro"),
        row.getLong("reserved_micro"),
        window.resetsAt(ScopeKind.KEY_DAY),
        window.resetsAt(ScopeKind.KEY_MONTH));
  }

  private static Creator creator(String reference, @Nullable String name) {
    int colon = reference.indexOf(':');
    return colon < 0
        ? new Creator(reference, null, null)
        : new Creator(
            reference.substring(0, colon),
            reference.substring(colon + 1),
            name == null && reference.startsWith("cli:") ? reference : name);
  }
}
