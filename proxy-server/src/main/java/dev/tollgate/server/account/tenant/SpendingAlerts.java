package dev.tollgate.server.account.tenant;

import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Alerts of organizations' spending, by mail to owners and billing members: once a month when a
 * percentage of the monthly limit is spent, and each time the balance falls below an amount. The
 * row that an alert was sent and its mails are one transaction, so any number of nodes may look.
 */
public final class SpendingAlerts {
  /** Organizations of one transaction. */
  static final int ORGS_MAX = 100;

  /** The most people who get a mail. */
  private static final int MAILS_MAX = 20;

  /** Ends what was sent of past months, and of balances that have risen again. */
  private static final String REARM =
      """
      DELETE FROM spending_alert s USING organization o
        LEFT JOIN scope_account b ON b.scope_id = ('org:' || o.id) COLLATE "C"
       WHERE o.id = s.org_id
         AND CASE WHEN s.percent = 0
                  THEN o.alert_below_micro IS NULL
                       OR coalesce(b.limit_micro, 0) - coalesce(b.used_micro, 0) >= o.alert_below_micro
                  ELSE s.month < date_trunc('month', ledger_now() AT TIME ZONE 'UTC') END""";

  /** The insert decides: of nodes that look at the same time one gets the row. */
  private static final String REACHED =
      """
      WITH now AS MATERIALIZED (
        SELECT date_trunc('month', ledger_now() AT TIME ZONE 'UTC')::date AS month),
      due AS (
        SELECT o.id, now.month, a.percent, o.monthly_limit_micro AS micro
          FROM organization o CROSS JOIN now CROSS JOIN unnest(o.alerts) AS a (percent)
          JOIN scope_account m
            ON m.scope_id = ('orgm:' || o.id || ':' || to_char(now.month, 'YYYY-MM')) COLLATE "C"
         WHERE o.closed_at IS NULL AND o.monthly_limit_micro > 0
           AND m.used_micro >= o.monthly_limit_micro::numeric * a.percent / 100
        UNION ALL
        SELECT o.id, 'epoch', 0, o.alert_below_micro
          FROM organization o
          LEFT JOIN scope_account b ON b.scope_id = ('org:' || o.id) COLLATE "C"
         WHERE o.closed_at IS NULL
           AND coalesce(b.limit_micro, 0) - coalesce(b.used_micro, 0) < o.alert_below_micro),
      chosen AS (
        SELECT d.* FROM due d
         WHERE NOT EXISTS (SELECT 1 FROM spending_alert s
                            WHERE (s.org_id, s.month, s.percent) = (d.id, d.month, d.percent))
         ORDER BY d.id, d.percent LIMIT ?),
      written AS (
        INSERT INTO spending_alert (org_id, month, percent)
        SELECT id, month, percent FROM chosen
            ON CONFLICT DO NOTHING RETURNING org_id, percent)
      SELECT w.org_id, w.percent, c.micro, coalesce(o.display_name, o.name) AS name
        FROM written w
        JOIN chosen c ON c.id = w.org_id AND c.percent = w.percent
        JOIN organization o ON o.id = w.org_id
       ORDER BY w.org_id, w.percent""";

  private static final String PEOPLE =
      """
      SELECT u.email FROM membership m JOIN user_account u ON u.id = m.user_id
       WHERE m.org_id = ? AND m.role IN ('owner', 'billing') AND u.state = 'active'
       ORDER BY m.joined_at, u.id LIMIT ?""";

  private final DataSource pool;
  private final OrgMail mail;

  public SpendingAlerts(DataSource pool, OrgMail mail) {
    this.pool = pool;
    this.mail = mail;
  }

  /**
   * Alert that no one was sent before.
   *
   * @param percent 0: the balance
   */
  private record Alert(UUID org, String name, int percent, long micro) {}

  /** Writes the mails that are due; returns how many alerts they tell of. */
  public int send() throws SQLException {
    int sent = 0;
    int portion;
    do {
      portion = Transactions.run(pool, this::sendPortion);
      sent += portion;
    } while (portion == ORGS_MAX);
    return sent;
  }

  private int sendPortion(Connection connection) throws SQLException {
    Statements.update(connection, REARM);
    List<Alert> alerts = Statements.list(connection, REACHED, SpendingAlerts::read, ORGS_MAX);
    for (Alert alert : alerts) {
      for (String to :
          Statements.list(
              connection, PEOPLE, row -> row.getString("email"), alert.org(), MAILS_MAX)) {
        if (alert.percent() == 0) {
          mail.balanceIsBelow(connection, to, alert.name(), alert.micro());
        } else {
          mail.monthlyLimitReached(connection, to, alert.name(), alert.percent(), alert.micro());
        }
      }
    }
    return alerts.size();
  }

  private static Alert read(ResultSet row) throws SQLException {
    return new Alert(
        row.getObject("org_id", UUID.class),
        row.getString("name"),
        row.getInt("percent"),
        row.getLong("micro"));
  }
}
