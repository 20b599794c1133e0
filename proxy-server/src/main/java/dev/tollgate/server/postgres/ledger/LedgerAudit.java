package dev.tollgate.server.postgres.ledger;

import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Consistency audit of the ledger in PostgreSQL: computes all sums again from one snapshot and
 * reports differences. Closed days count with the sums made at their close; the full audit reads
 * their charges too. The numbers are those of the invariants in docs/ledger.md.
 */
public final class LedgerAudit {
  private static final long ADVISORY_LOCK = 7_455_834;

  /**
   * Reported violations of each invariant, so that a wholly damaged ledger gives a bounded report.
   */
  private static final int LISTED_MAX = 1_000;

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
                              FROM settlement WHERE day = ANY (its_days) GROUP BY 1, 2, 3) p
                     CROSS JOIN LATERAL ledger_scopes(p.org_id, p.key_id, p.day) s
                    UNION ALL
                    SELECT scope_id, sum_micro FROM settlement_rollup
                     WHERE day <> ALL (its_days)) m
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
    // Charges without a grant are beyond the limit; so are grants made before money was taken from
    // a balance.
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
        6,
        """
        SELECT 'org:' || q.org_id,
               format('%s is charged %s and not in the ledger: %s', q.request_id, q.cost_micro,
                      q.reason)
          FROM settlement_quarantine q
        UNION ALL
        SELECT 'org:' || j.org_id,
               format('job:%s ended with %s and is charged %s', j.id, j.cost_micro, s.cost_micro)
          FROM media_job j
          LEFT JOIN settlement s ON s.day = j.day AND s.request_id = j.request_id
         WHERE j.completed_at IS NOT NULL AND j.day = ANY (its_days)
           AND j.cost_micro IS DISTINCT FROM s.cost_micro
        """);
    VIOLATIONS.put(
        8,
        """
        SELECT l.scope_id, format('%s is over and its lease is open', l.holder)
          FROM lease l
         WHERE l.state = 'open' AND l.holder LIKE 'node:%'
           AND NOT EXISTS (SELECT 1 FROM node_epoch n
                            WHERE n.holder = l.holder AND n.state <> 'closed')
        UNION ALL
        SELECT l.scope_id, format('%s is over and its lease is open', l.holder)
          FROM lease l
         WHERE l.state = 'open' AND l.holder LIKE 'job:%'
           AND NOT EXISTS (SELECT 1 FROM media_job j
                            WHERE 'job:' || j.id = l.holder AND j.completed_at IS NULL)
        UNION ALL
        SELECT s.scope_id,
               format('job:%s is not over and holds %s instead of %s', j.id,
                      coalesce(l.granted_micro - l.spent_micro, 0), j.estimated_cost_micro)
          FROM media_job j
         CROSS JOIN LATERAL ledger_scopes(j.org_id, j.key_id, j.day) s
          LEFT JOIN lease l ON l.holder = 'job:' || j.id AND l.scope_id = s.scope_id
                           AND l.state = 'open'
         WHERE j.completed_at IS NULL AND j.next_look_at < 'infinity'
           AND coalesce(l.granted_micro - l.spent_micro, 0) <> j.estimated_cost_micro
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

  /** Compares a day's sums, made at its close, with its charges. */
  private static final String CLOSED_DAYS =
      """
      SELECT coalesce(r.scope_id, c.scope_id),
             format('of %s it kept %s and should have kept %s',
                    coalesce(r.day, c.day), r.sum_micro, c.micro)
        FROM (SELECT * FROM settlement_rollup WHERE day = ANY (its_days)) r
        FULL JOIN (
          SELECT p.day, s.scope_id, sum(p.micro) AS micro
            FROM (SELECT org_id, key_id, day, sum(cost_micro) AS micro
                    FROM settlement WHERE day = ANY (its_days) GROUP BY 1, 2, 3) p
           CROSS JOIN LATERAL ledger_scopes(p.org_id, p.key_id, p.day) s
           GROUP BY 1, 2) c
          ON c.day = r.day AND c.scope_id = r.scope_id
       WHERE coalesce(r.sum_micro, 0) <> coalesce(c.micro, 0)
      """;

  private static final String EXTENT =
      """
      SELECT (SELECT count(*) FROM organization) AS organizations,
             (SELECT count(*) FROM ledger_entry) AS entries,
             (SELECT count(*) FROM scope_account) AS accounts,
             (SELECT count(*) FROM lease WHERE state = 'open') AS open_leases,
             (SELECT count(*) FROM settlement WHERE day = ANY (its_days)) AS charges,
             cardinality(its_days) AS days,
             (SELECT count(DISTINCT day) FROM settlement_rollup
               WHERE day <> ALL (its_days)) AS summed_days
      """;

  private final DataSource source;

  /**
   * @param source connections with a statement timeout that suits the sums of a large ledger
   */
  public LedgerAudit(DataSource source) {
    this.source = source;
  }

  /**
   * Violation of one of the ledger's invariants.
   *
   * @param scope the sum that violates it
   */
  public record Violation(int invariant, String scope, String what) {}

  /**
   * What an audit looked at.
   *
   * @param charges charges that were read
   * @param days days whose charges were read
   * @param summedDays closed days, of which only the sums were read
   */
  public record Extent(
      int invariants,
      long organizations,
      long entries,
      long accounts,
      long openLeases,
      long charges,
      long days,
      long summedDays) {}

  /** Result of an audit, and what it looked at in the same snapshot. */
  public record AuditResult(List<Violation> violations, Extent extent) {}

  /**
   * Result of the last periodic audit by any node.
   *
   * @param age time since then
   */
  public record LastAudit(Duration age, long violations) {}

  /**
   * Returns all violations and what was looked at.
   *
   * @param full true if every stored charge is read
   */
  public AuditResult audit(boolean full) throws SQLException {
    try (Connection connection = source.getConnection()) {
      return Transactions.run(
          connection, within -> new AuditResult(find(within, full), extent(within, full)));
    }
  }

  /** Returns all violations, from every stored charge; the ledger stays in use meanwhile. */
  public List<Violation> runFull() throws SQLException {
    try (Connection connection = source.getConnection()) {
      return run(connection, true);
    }
  }

  /** Returns all violations, with closed days by their sums. */
  public List<Violation> run() throws SQLException {
    try (Connection connection = source.getConnection()) {
      return run(connection, false);
    }
  }

  /** Runs the audit unless a node did within the interval or is running it; empty then. */
  public Optional<List<Violation>> runIfDue(Duration interval) throws SQLException {
    try (Connection connection = source.getConnection()) {
      // The lock ends with the session.
      if (!queryBoolean(connection, "SELECT pg_try_advisory_lock(" + ADVISORY_LOCK + ")")
          || last(connection).filter(last -> last.age().compareTo(interval) < 0).isPresent()) {
        return Optional.empty();
      }
      List<Violation> violations = run(connection, false);
      try (PreparedStatement insert =
          connection.prepareStatement(
              "INSERT INTO ledger_audit AS a (at, violations) VALUES (ledger_now(), ?)"
                  + " ON CONFLICT (one) DO UPDATE SET at = excluded.at,"
                  + " violations = excluded.violations")) {
        insert.setLong(1, violations.size());
        insert.executeUpdate();
      }
      return Optional.of(violations);
    }
  }

  /** Returns the last audit of any node; empty if there was none. */
  public Optional<LastAudit> last() throws SQLException {
    try (Connection connection = source.getConnection()) {
      return last(connection);
    }
  }

  private static Optional<LastAudit> last(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT floor(extract(epoch FROM ledger_now() - at) * 1000)::bigint, violations"
                    + " FROM ledger_audit")) {
      return row.next()
          ? Optional.of(new LastAudit(Duration.ofMillis(row.getLong(1)), row.getLong(2)))
          : Optional.empty();
    }
  }

  private static boolean queryBoolean(Connection connection, String question) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(question)) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private static List<Violation> run(Connection connection, boolean full) throws SQLException {
    return Transactions.run(connection, within -> find(within, full));
  }

  private static List<Violation> find(Connection connection, boolean full) throws SQLException {
    List<Violation> violations = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
      statement.execute("SET LOCAL statement_timeout = 0");
      // Before the snapshot: no day that the snapshot shows as stored is dropped.
      statement.execute("LOCK TABLE settlement IN ACCESS SHARE MODE");
      String days = days(statement, full ? "true" : "NOT closed");
      for (Map.Entry<Integer, String> invariant : VIOLATIONS.entrySet()) {
        String query = invariant.getValue().replace("its_days", days);
        violations.addAll(find(statement, invariant.getKey(), query));
      }
      if (full) {
        String closed = CLOSED_DAYS.replace("its_days", days(statement, "closed"));
        violations.addAll(find(statement, 2, closed));
      }
    }
    return violations;
  }

  private static Extent extent(Connection connection, boolean full) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      String days = days(statement, full ? "true" : "NOT closed");
      try (ResultSet row = statement.executeQuery(EXTENT.replace("its_days", days))) {
        row.next();
        return new Extent(
            VIOLATIONS.size(),
            row.getLong("organizations"),
            row.getLong("entries"),
            row.getLong("accounts"),
            row.getLong("open_leases"),
            row.getLong("charges"),
            row.getLong("days"),
            row.getLong("summed_days"));
      }
    }
  }

  private static List<Violation> find(Statement statement, int invariant, String query)
      throws SQLException {
    List<Violation> found = new ArrayList<>();
    try (ResultSet row = statement.executeQuery(query + " LIMIT " + LISTED_MAX)) {
      while (row.next()) {
        found.add(new Violation(invariant, row.getString(1), row.getString(2)));
      }
    }
    return found;
  }

  /** Returns the stored days as an array literal, so that only their partitions are read. */
  private static String days(Statement statement, String condition) throws SQLException {
    List<String> days = new ArrayList<>();
    try (ResultSet row =
        statement.executeQuery(
            "SELECT day::text FROM ledger_days('settlement') WHERE " + condition)) {
      while (row.next()) {
        days.add(row.getString(1));
      }
    }
    return days.stream().collect(Collectors.joining(",", "'{", "}'::date[]"));
  }
}
