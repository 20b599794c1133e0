package dev.tollgate.server.account.org;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.org.OrgView.KeyCount;
import dev.tollgate.server.account.org.OrgView.Policy;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Queries of organizations, and checks of what is written to them. */
final class OrgRows {
  static final int NAME_CHARS_MAX = 100;

  /** Columns of an organization, whose row is {@code o}. */
  static final String COLUMNS =
      """
      o.id, o.name, o.display_name,
      CASE WHEN o.closed_at IS NULL THEN o.state ELSE 'closed' END AS shown_state, o.created_at,
      (SELECT count(*) FROM api_key k WHERE k.org_id = o.id AND k.state <> 'revoked')::int AS keys,
      o.max_api_keys, o.monthly_limit_micro, o.monthly_limit_cap_micro, o.developers_create,
      o.key_daily_max_micro, o.key_monthly_max_micro, o.key_days_max, o.version
      """;

  private static final String SELECT = "SELECT " + COLUMNS + " FROM organization o WHERE o.id = ?";

  private OrgRows() {}

  static OrgView find(Connection connection, OrgId org, int keysMax) throws SQLException {
    return Statements.first(connection, SELECT, row -> read(row, keysMax), org.value())
        .orElseThrow(Refused::notFound);
  }

  /** Returns an organization whose row the transaction locks from now on. */
  static OrgView lock(Connection connection, OrgId org, int keysMax) throws SQLException {
    return Statements.first(
            connection, SELECT + " FOR NO KEY UPDATE OF o", row -> read(row, keysMax), org.value())
        .orElseThrow(Refused::notFound);
  }

  /**
   * Returns the organization of the row.
   *
   * @param keysMax maximum of keys where the organization has none of its own
   */
  static OrgView read(ResultSet row, int keysMax) throws SQLException {
    Integer ownMax = Statements.integer(row, "max_api_keys");
    return new OrgView(
        row.getObject("id", UUID.class),
        row.getString("name"),
        row.getString("display_name"),
        row.getString("shown_state"),
        Statements.requiredInstant(row, "created_at"),
        new KeyCount(row.getInt("keys"), ownMax == null ? keysMax : ownMax),
        Statements.number(row, "monthly_limit_micro"),
        Statements.number(row, "monthly_limit_cap_micro"),
        new Policy(
            row.getBoolean("developers_create"),
            Statements.number(row, "key_daily_max_micro"),
            Statements.number(row, "key_monthly_max_micro"),
            Statements.integer(row, "key_days_max")),
        row.getInt("version"));
  }

  /** Refuses a name that no organization can have. */
  static void requireName(String name) {
    if (name.isBlank() || name.length() > NAME_CHARS_MAX || !name.equals(name.strip())) {
      throw Refused.invalid(
          "name", "must have 1 to " + NAME_CHARS_MAX + " characters and no space around it");
    }
  }

  static void requireDisplayName(@Nullable String name) {
    if (name != null && (name.isBlank() || name.length() > NAME_CHARS_MAX)) {
      throw Refused.invalid("display_name", "must have 1 to " + NAME_CHARS_MAX + " characters");
    }
  }

  /** Refuses an amount that is negative, or that JSON cannot carry exactly. */
  static void requireMicro(String param, @Nullable Long micro) {
    if (micro != null && (micro < 0 || micro >= 1L << 53)) {
      throw Refused.invalid(param, "must be 0 to " + ((1L << 53) - 1));
    }
  }

  /** Gives an organization another name, unless another has it. */
  static void rename(Connection connection, OrgId org, String name) throws SQLException {
    int renamed =
        Statements.update(
            connection,
            "UPDATE organization SET name = ? WHERE id = ?"
                + " AND NOT EXISTS (SELECT 1 FROM organization WHERE name = ? AND id <> ?)",
            name,
            org.value(),
            name,
            org.value());
    if (renamed == 0) {
      throw Refused.conflict(RefusalReason.NAME_TAKEN);
    }
  }

  static List<Change> changes(OrgView before, OrgView after) {
    return List.of(
        new Change("name", before.name(), after.name()),
        new Change("display_name", before.displayName(), after.displayName()),
        new Change("state", before.state(), after.state()),
        new Change("monthly_limit_micro", before.monthlyLimitMicro(), after.monthlyLimitMicro()),
        new Change(
            "monthly_limit_cap_micro", before.monthlyLimitCapMicro(), after.monthlyLimitCapMicro()),
        new Change("max_api_keys", before.keys().max(), after.keys().max()),
        new Change(
            "developers_create",
            before.keyPolicy().developersCreate(),
            after.keyPolicy().developersCreate()),
        new Change(
            "daily_budget_max_micro",
            before.keyPolicy().dailyBudgetMaxMicro(),
            after.keyPolicy().dailyBudgetMaxMicro()),
        new Change(
            "monthly_budget_max_micro",
            before.keyPolicy().monthlyBudgetMaxMicro(),
            after.keyPolicy().monthlyBudgetMaxMicro()),
        new Change("days_max", before.keyPolicy().daysMax(), after.keyPolicy().daysMax()));
  }
}
