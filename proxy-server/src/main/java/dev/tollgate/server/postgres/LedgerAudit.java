package dev.tollgate.server.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * Sums the ledger anew, from one snapshot, and names what does not agree: there must be nothing.
 * The numbers are those of the invariants in docs/ledger.md.
 */
public final class LedgerAudit {
  private static final Map<Integer, String> VIOLATIONS = new LinkedHashMap<>();

  static {
    VIOLATIONS.put(
        1,
        """
        SELECT coalesce(a.scope_id, 'org:' || e.org_id),
               format('paid in is %s and should be %s', a.limit_micro, e.micro)
          FROM (SELECT * FROM scope_account WHERE scope_id LIKE 'org:%') a
          FULL JOIN (SELECT org_id, sum(amount_micro) AS micro FROM ledger_entry GROUP BY 1) e
            ON a.scope_id = 'org:' || e.org_id
         WHERE coalesce(a.limit_micro, 0) <> coalesce(e.micro, 0)
        """);
    VIOLATIONS.put(
        2,
        """
        SELECT coalesce(a.scope_id, c.scope_id),
               format('used is %s and should be %s', a.used_micro, c.micro)
          FROM scope_account a
          FULL JOIN (
            SELECT scope_id, sum(micro) AS micro
              FROM (SELECT s.scope_id, p.micro
                      FROM (SELECT org_id, key_id, day, sum(cost_micro) AS micro
                              FROM settlement GROUP BY 1, 2, 3) p
                     CROSS JOIN LATERAL ledger_scopes(p.org_id, p.key_id, p.day) s
                    UNION ALL
                    SELECT scope_id, sum_micro FROM settlement_rollup) m
             GROUP BY 1) c
            ON a.scope_id = c.scope_id
         WHERE coalesce(a.used_micro, 0) <> coalesce(c.micro, 0)
        """);
    VIOLATIONS.put(
        3,
        """
        SELECT a.scope_id, format('leased is %s and should be %s', a.leased_micro, l.micro)
          FROM scope_account a
          LEFT JOIN (SELECT scope_id, sum(granted_micro - spent_micro) AS micro
                       FROM lease WHERE state = 'open' GROUP BY 1) l
            ON a.scope_id = l.scope_id
         WHERE a.leased_micro <> coalesce(l.micro, 0)
        """);
    // What was charged without asking is beyond the limit; so is what was granted before money was
    // taken from a balance.
    VIOLATIONS.put(
        4,
        """
        SELECT a.scope_id, format('%s is granted above %s', a.micro, a.highest)
          FROM (SELECT scope_id, used_micro + leased_micro - beyond_micro AS micro,
                       limit_micro + CASE WHEN scope_id LIKE 'org:%' THEN
                         (SELECT coalesce(sum(-amount_micro), 0) FROM ledger_entry e
                           WHERE e.org_id = b.org_id AND amount_micro < 0) ELSE 0 END AS highest
                  FROM scope_account b) a
         WHERE a.micro > a.highest
        """);
    VIOLATIONS.put(
        5,
        """
        SELECT scope_id, format('%s spent %s of %s', holder, spent_micro, granted_micro)
          FROM lease WHERE NOT (0 <= spent_micro AND spent_micro <= granted_micro)
        """);
    VIOLATIONS.put(
        8,
        """
        SELECT l.scope_id, format('%s is over and its lease is open', l.holder)
          FROM lease l
         WHERE l.state = 'open' AND l.holder LIKE 'node:%'
           AND NOT EXISTS (SELECT 1 FROM node_epoch n
                            WHERE n.holder = l.holder AND n.state = 'open')
        """);
    VIOLATIONS.put(
        9,
        """
        SELECT m.scope_id, format('used is %s and its days were %s', m.used_micro, d.micro)
          FROM scope_account m
          LEFT JOIN (SELECT 'keym' || substr(left(scope_id, -3), 5) AS month_id,
                            sum(used_micro) AS micro
                       FROM scope_account WHERE scope_id LIKE 'keyd:%' GROUP BY 1) d
            ON m.scope_id = d.month_id
         WHERE m.scope_id LIKE 'keym:%' AND m.used_micro <> coalesce(d.micro, 0)
        """);
  }

  private final DataSource source;

  LedgerAudit(DataSource source) {
    this.source = source;
  }

  /**
   * An invariant that does not hold.
   *
   * @param scope the sum that it does not hold for
   */
  public record Violation(int invariant, String scope, String what) {}

  /** All violations; the ledger goes on meanwhile. */
  public List<Violation> run() throws SQLException {
    try (Connection connection = source.getConnection()) {
      return Transactions.run(connection, LedgerAudit::run);
    }
  }

  private static List<Violation> run(Connection connection) throws SQLException {
    List<Violation> violations = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
      statement.execute("SET LOCAL statement_timeout = 0");
      for (Map.Entry<Integer, String> invariant : VIOLATIONS.entrySet()) {
        try (ResultSet row = statement.executeQuery(invariant.getValue())) {
          while (row.next()) {
            violations.add(new Violation(invariant.getKey(), row.getString(1), row.getString(2)));
          }
        }
      }
    }
    return violations;
  }
}
