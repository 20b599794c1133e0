package dev.tollgate.server.account.tenant;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.tenants.ApiKeys.ApiKeySpec;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What an organization lets members with the role developer do with keys, and how many keys it may
 * have. Reading it locks the organization's row.
 *
 * @param keysMax null: as configured
 * @param now the store's time
 */
record KeyPolicy(
    boolean isSuspended,
    boolean developersCreate,
    @Nullable Long dailyBudgetMaxMicro,
    @Nullable Long monthlyBudgetMaxMicro,
    @Nullable Integer daysMax,
    @Nullable Integer keysMax,
    Instant now) {

  static KeyPolicy lock(Connection connection, OrgId org) throws SQLException {
    return Statements.first(
            connection,
            """
            SELECT state, developers_create, key_daily_max_micro, key_monthly_max_micro,
                   key_days_max, max_api_keys, ledger_now() AS now
              FROM organization WHERE id = ? FOR NO KEY UPDATE""",
            row ->
                new KeyPolicy(
                    row.getString("state").equals("suspended"),
                    row.getBoolean("developers_create"),
                    Statements.number(row, "key_daily_max_micro"),
                    Statements.number(row, "key_monthly_max_micro"),
                    Statements.integer(row, "key_days_max"),
                    Statements.integer(row, "max_api_keys"),
                    Statements.requiredInstant(row, "now")),
            org.value())
        .orElseThrow(Refused::notFound);
  }

  /** Refuses an expiry that has passed. */
  void requireFuture(KeyPatch patch) {
    Instant expiresAt = patch.expiresAt().applyToNullable(null);
    if (expiresAt != null && !expiresAt.isAfter(now)) {
      throw Refused.invalid("expires_at", "has passed");
    }
  }

  /**
   * Refuses a developer's key that is beyond what the organization allows.
   *
   * @param change the fields that the developer set; others were allowed before
   * @param isNew true if the key does not exist yet
   */
  void require(ApiKeySpec spec, KeyPatch change, boolean isNew) {
    if (isNew || change.dailyBudgetMicro().isSet()) {
      requireBudget("daily_budget_micro", spec.limits().dailyBudget(), dailyBudgetMaxMicro);
    }
    if (isNew || change.monthlyBudgetMicro().isSet()) {
      requireBudget("monthly_budget_micro", spec.limits().monthlyBudget(), monthlyBudgetMaxMicro);
    }
    Instant expiresAt = spec.expiresAt();
    if (daysMax != null
        && (isNew || change.expiresAt().isSet())
        && (expiresAt == null || expiresAt.isAfter(now.plus(Duration.ofDays(daysMax))))) {
      throw Refused.invalid("expires_at", RefusalReason.OVER_POLICY);
    }
  }

  private static void requireBudget(
      String param, @Nullable MicroUsd budget, @Nullable Long maxMicro) {
    if (maxMicro != null && (budget == null || budget.value() > maxMicro)) {
      throw Refused.invalid(param, RefusalReason.OVER_POLICY);
    }
  }
}
