package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.Cost.PricedUsage;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import java.time.Duration;
import java.util.List;

/**
 * Charge for a job that succeeded.
 *
 * @param operatorCost what the operator pays
 * @param priced what the cost was computed from, a JSON array as in the lines of other requests
 *     (docs/prices.md#the-prices-that-were-applied)
 */
record JobCharge(MicroUsd cost, MicroUsd operatorCost, String priced) {

  /**
   * Returns the charge for an output of a length.
   *
   * @param operatorPrices what the operator pays
   */
  static JobCharge of(JobKind kind, Duration length, PriceList prices, PriceList operatorPrices) {
    Quantity time =
        switch (kind) {
          case VIDEO -> new Quantity.VideoTime(length);
          case MUSIC -> new Quantity.MusicTime(length);
        };
    String priced =
        "[{\"sheet\":\"%s\",\"quantities\":[{\"%s_us\":%d}]}]"
            .formatted(prices.sheet().id(), kind.wire(), Quantity.micros(length));
    var parts = List.of(new PricedUsage(Usage.ZERO, List.of(time), prices, operatorPrices));
    MicroUsd cost = Cost.of(parts);
    return new JobCharge(cost, Cost.toOperator(parts, cost), priced);
  }
}
