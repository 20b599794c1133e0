package dev.tollgate.server.account.org;

import dev.tollgate.server.account.Patch;
import org.jspecify.annotations.Nullable;

/** Change of an organization by its members; a field that is not given stays. */
public record OrgPatch(
    Patch<String> name, Patch<@Nullable String> displayName, @Nullable PolicyPatch keyPolicy) {

  /** Change of the policy for keys of developers. */
  public record PolicyPatch(
      Patch<Boolean> developersCreate,
      Patch<@Nullable Long> dailyBudgetMaxMicro,
      Patch<@Nullable Long> monthlyBudgetMaxMicro,
      Patch<@Nullable Integer> daysMax) {
    OrgView.Policy applyTo(OrgView.Policy current) {
      return new OrgView.Policy(
          developersCreate.applyTo(current.developersCreate()),
          dailyBudgetMaxMicro.applyToNullable(current.dailyBudgetMaxMicro()),
          monthlyBudgetMaxMicro.applyToNullable(current.monthlyBudgetMaxMicro()),
          daysMax.applyToNullable(current.daysMax()));
    }
  }
}
