package dev.tollgate.server.account.org;

import dev.tollgate.server.account.AuditEntry.Target;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.ShownOrgState;
import dev.tollgate.server.account.Versioned;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Organization as its members see it.
 *
 * @param state active, suspended or closed
 * @param monthlyLimitCapMicro highest monthly limit that the operator allows; null: any
 */
public record OrgView(
    UUID id,
    String name,
    @Nullable String displayName,
    @OneOf(ShownOrgState.class) String state,
    Instant createdAt,
    KeyCount keys,
    @Nullable Long monthlyLimitMicro,
    @Nullable Long monthlyLimitCapMicro,
    Policy keyPolicy,
    int version)
    implements Versioned {

  /**
   * Keys that are not revoked.
   *
   * @param max 0: no limit
   */
  public record KeyCount(int count, int max) {}

  /** What members with the role developer may do with keys; null: any. */
  public record Policy(
      boolean developersCreate,
      @Nullable Long dailyBudgetMaxMicro,
      @Nullable Long monthlyBudgetMaxMicro,
      @Nullable Integer daysMax) {}

  Target target() {
    return new Target("organization", id.toString(), name);
  }
}
