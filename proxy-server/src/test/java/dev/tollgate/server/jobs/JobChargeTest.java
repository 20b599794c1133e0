package dev.tollgate.server.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.AnyPrices;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.server.explorer.ChargeArithmetic;
import dev.tollgate.server.explorer.PricedRecord;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Charges of jobs, computed again from what is stored of them. */
class JobChargeTest {
  @Test
  void theChargeOfAnyJobIsComputedAgain() {
    Seeds.forEach(
        1_000,
        random -> {
          PriceList prices = AnyPrices.list(random);
          Duration length = Duration.ofNanos(random.nextLong(1_000_000_000_000L));
          JobKind kind = random.nextBoolean() ? JobKind.VIDEO : JobKind.MUSIC;

          PriceList operatorPrices = AnyPrices.list(random);
          JobCharge charge = JobCharge.of(kind, length, prices, operatorPrices);

          var settled =
              new ChargeArithmetic.SettledCharge(
                  charge.cost(), charge.cost(), SettlementKind.COMPLETED, false, MicroUsd.ZERO);
          var sheets = Map.of(prices.sheet().id(), prices.sheet().content());
          ChargeArithmetic computed =
              ChargeArithmetic.of(PricedRecord.ofJob(charge.priced()), sheets, settled);
          assertThat(computed.matches()).isTrue();
          assertThat(computed.rounded()).isEqualTo(charge.cost());
          assertThat(charge.operatorCost())
              .isEqualTo(JobCharge.of(kind, length, operatorPrices, prices).cost());
        });
  }
}
