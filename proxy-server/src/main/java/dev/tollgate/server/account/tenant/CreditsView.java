package dev.tollgate.server.account.tenant;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Balance and spending limit of an organization.
 *
 * @param reservedMicro of the balance, held for running requests and the next ones
 * @param alerts percentages of the monthly limit at which people are alerted
 * @param alertBelowMicro balance below which people are alerted; null: none
 */
public record CreditsView(
    long balanceMicro,
    long reservedMicro,
    long availableMicro,
    Monthly monthly,
    List<Integer> alerts,
    @Nullable Long alertBelowMicro,
    Instant asOf) {

  /**
   * Spending of the running month.
   *
   * @param capMicro highest limit that the operator allows; null: any
   */
  public record Monthly(
      @Nullable Long limitMicro,
      @Nullable Long capMicro,
      long spentMicro,
      long reservedMicro,
      Instant resetsAt) {}
}
