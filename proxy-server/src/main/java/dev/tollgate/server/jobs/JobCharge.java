package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import java.time.Duration;
import java.util.List;

/**
 * Charge for a job that succeeded.
 *
 * @param priced what the cost was computed from, a JSON array as in the lines of other requests
 *     (docs/prices.md#the-prices-that-were-applied)
 */
record JobCharge(MicroUsd cost, String priced) {

  /** Returns the charge for an output of a length. */
  static JobCharge of(JobKind kind, Duration length, PriceList prices) {
    Quantity time =
        switch (kind) {
          case VIDEO -> new Quantity.VideoTime(length);
          case MUSIC -> new Quantity.MusicTime(length);
        };
    String priced =
        "[{\"sheet\":\"%s\",\"quantities\":[{\"%s_us\":%d}]}]"
            .formatted(prices.sheet().id(), kind.wire(), Quantity.micros(length));
    return new JobCharge(Cost.of(Usage.ZERO, List.of(time), prices), priced);
  }
}
