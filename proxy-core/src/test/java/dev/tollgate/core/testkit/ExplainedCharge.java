package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.money.ItemizedCost;

/**
 * Rows of charged requests in tests, written only if the charge can be computed again from the
 * parts that its record names.
 */
final class ExplainedCharge {
  private ExplainedCharge() {}

  static byte[] row(RequestRecord record) {
    RequestRecord.Served served = record.served();
    if (served == null) {
      throw new AssertionError("charged without a provider: " + record);
    }
    Charge charge = served.charge();
    ItemizedCost again = ItemizedCost.of(charge.parts());
    if (!charge.cost().isPositive() || !again.rounded().equals(charge.cost())) {
      throw new AssertionError(charge + " is not the sum of " + again);
    }
    return ("{\"outcome\":\"" + record.outcome().wire() + "\"}").getBytes(UTF_8);
  }
}
