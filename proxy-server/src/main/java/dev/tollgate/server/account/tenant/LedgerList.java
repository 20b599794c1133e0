package dev.tollgate.server.account.tenant;

import dev.tollgate.core.fault.Fault.Issue;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.Page.Slice;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.postgres.session.SqlParts;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Service that lists what makes up an organization's balance, the latest first: the entries, and
 * the charges of each day in UTC as one row behind the day's entries. The sum of all rows is the
 * balance to the micro-USD.
 */
public final class LedgerList {
  /** Kind of a row: of an entry, or the charges of a day. */
  public enum Kind {
    FUNDING,
    REFUND,
    ADJUSTMENT,
    WRITE_OFF,
    CHARGES;

    private static List<String> names() {
      return Arrays.stream(values()).map(each -> each.name().toLowerCase(Locale.ROOT)).toList();
    }
  }

  /**
   * Charges come from the sums of closed days, and of days that are not closed from the windows of
   * the keys, which are sums of the same charges: no charge is read.
   */
  private static final String SELECT =
      """
      WITH now AS MATERIALIZED (SELECT ledger_now() AS at),
      open_day AS MATERIALIZED (
        SELECT d.day FROM ledger_days('settlement') d WHERE NOT d.closed),
      charge AS (
        SELECT r.day, r.sum_micro FROM settlement_rollup r
         WHERE r.scope_id = ('org:' || ?) COLLATE "C" AND r.sum_micro > 0
           AND r.day NOT IN (SELECT o.day FROM open_day o)
        UNION ALL
        SELECT o.day, sum(a.used_micro)::bigint
          FROM open_day o
         CROSS JOIN (SELECT DISTINCT coalesce(k.lineage, k.id) AS id
                       FROM api_key k WHERE k.org_id = ?::uuid) k
          JOIN scope_account a
            ON a.scope_id = ('keyd:' || k.id || ':' || to_char(o.day, 'YYYY-MM-DD')) COLLATE "C"
         WHERE a.used_micro > 0
         GROUP BY o.day),
      line AS (
        SELECT (e.at AT TIME ZONE 'UTC')::date AS day, false AS is_charge, e.id, e.at, e.kind,
               e.amount_micro, e.ref, e.reason, e.actor, e.actor_id
          FROM ledger_entry e WHERE e.org_id = ?::uuid
        UNION ALL
        SELECT c.day, true, 0,
               least(now.at, (c.day + 1)::timestamp AT TIME ZONE 'UTC' - interval '1 millisecond'),
               'charges', -c.sum_micro, NULL, NULL, NULL, NULL
          FROM charge c CROSS JOIN now),
      running AS (
        SELECT l.*, sum(l.amount_micro) OVER (ORDER BY l.day, l.is_charge, l.id)::bigint
                      AS balance_after_micro
          FROM line l)
      SELECT * FROM running WHERE true""";

  private final DataSource pool;

  public LedgerList(DataSource pool) {
    this.pool = pool;
  }

  /**
   * Filter of the list.
   *
   * @param kind empty: all
   */
  public record LedgerQuery(
      @Nullable Instant from, @Nullable Instant to, @OneOf(Kind.class) List<String> kind) {
    public static final LedgerQuery ALL = new LedgerQuery(null, null, List.of());

    public LedgerQuery {
      if (!Kind.names().containsAll(kind)) {
        throw Refused.invalid(
            List.of(
                new Issue("kind", "must be funding, refund, adjustment, write_off or charges")));
      }
      kind = List.copyOf(kind);
    }
  }

  /**
   * Row of the list.
   *
   * @param id of an entry; of charges the kind and the day
   * @param balanceAfterMicro the balance with this row and all before it
   * @param day of charges
   */
  public record LedgerLine(
      String id,
      Instant at,
      @OneOf(Kind.class) String kind,
      long amountMicro,
      long balanceAfterMicro,
      @Nullable String ref,
      @Nullable String reason,
      @Nullable Actor actor,
      @Nullable String day) {}

  /** Who recorded an entry. */
  public record Actor(@Nullable String kind, String name) {}

  private record Positioned(LedgerLine line, String position) {}

  public Slice<LedgerLine> list(OrgAccess access, LedgerQuery query, Page page)
      throws SQLException {
    access.require(Permission.LEDGER_READ);
    String org = access.org().toString();
    SqlParts sql =
        new SqlParts()
            .add(SELECT, org, org, org)
            .and(query.from(), "at >= ?")
            .and(query.to(), "at < ?")
            .and(query.kind(), "kind = ANY (?)")
            .andEach(
                page.position("\\d{4}-\\d\\d-\\d\\d", "true|false", Page.NUMBER),
                "(day, is_charge, id) < (?::date, ?::boolean, ?::bigint)")
            .add("ORDER BY day DESC, is_charge DESC, id DESC LIMIT ?", page.limit() + 1);
    return page.slice(sql.list(pool, LedgerList::read), Positioned::position).map(Positioned::line);
  }

  private static Positioned read(ResultSet row) throws SQLException {
    String day = row.getString("day");
    boolean isCharge = row.getBoolean("is_charge");
    String id = row.getString("id");
    String actor = row.getString("actor");
    var line =
        new LedgerLine(
            isCharge ? "charges:" + day : id,
            Statements.requiredInstant(row, "at"),
            row.getString("kind"),
            row.getLong("amount_micro"),
            row.getLong("balance_after_micro"),
            row.getString("ref"),
            row.getString("reason"),
            actor == null ? null : new Actor(kind(row.getString("actor_id")), actor),
            isCharge ? day : null);
    return new Positioned(line, day + "|" + isCharge + "|" + id);
  }

  private static @Nullable String kind(@Nullable String reference) {
    return reference == null ? null : reference.substring(0, reference.indexOf(':'));
  }
}
