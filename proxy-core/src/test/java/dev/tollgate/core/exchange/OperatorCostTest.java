package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.money.AnyPrices;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.Cost.PricedUsage;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.testkit.Seeds;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a request costs the operator, beside its charge. */
class OperatorCostTest {
  private static final PriceList PRICES = PriceList.ofTokens(TokenPrices.of(150_000, 600_000));

  /** Prices are pico-USD for a token; the costs are micro-USD. */
  @ParameterizedTest
  @CsvSource({
    // input, output, cost of input and output, prompt, completion, reported: charge, operator's
    "150000, 600000, 100000, 400000, 1000, 100, 0, 210, 140",
    "150000, 600000, 200000, 800000, 1000, 100, 0, 210, 280",
    "150000, 600000, 150000, 600000, 1000, 100, 0, 210, 210",
    // rounded once, half up, and to at least 1
    "150000, 600000, 100000, 400000, 1, 1, 0, 1, 1",
    "150000, 600000, 1, 0, 1, 0, 0, 1, 1",
    "150000, 600000, 500000, 0, 3, 0, 0, 1, 2",
    // free for one of the two
    "150000, 600000, 0, 0, 1000, 100, 0, 210, 0",
    "0, 0, 100000, 400000, 1000, 100, 0, 0, 140",
    // the provider's own cost, where it is higher
    "150000, 600000, 100000, 400000, 1000, 100, 141, 210, 141",
    "150000, 600000, 100000, 400000, 1000, 100, 139, 210, 140",
    "150000, 600000, 100000, 400000, 1000, 100, 999, 210, 999",
    "150000, 600000, 0, 0, 1000, 100, 7, 210, 7",
    // nothing was delivered
    "150000, 600000, 100000, 400000, 0, 0, 0, 0, 0",
  })
  void theCostIsThatOfTheRouteForTheSameUsage(
      long input,
      long output,
      long costOfInput,
      long costOfOutput,
      long prompt,
      long completion,
      long reported,
      long charge,
      long operators) {
    Usage usage = Usage.ofTokens(prompt, completion).withReportedCost(reported);
    Charge made =
        Charge.of(
            List.of(
                new PricedUsage(
                    usage,
                    List.of(),
                    PriceList.ofTokens(TokenPrices.of(input, output)),
                    PriceList.ofTokens(TokenPrices.of(costOfInput, costOfOutput)))));
    assertThat(made.cost()).isEqualTo(new MicroUsd(charge));
    assertThat(made.operatorCost()).isEqualTo(new MicroUsd(operators));
    assertThat(made.isBelowCost()).isEqualTo(operators > charge);
    assertThat(made.parts().isEmpty()).isEqualTo(charge == 0);
  }

  @Test
  void withoutACostOfTheRouteItIsTheChargeItself() {
    Charge made =
        Charge.of(List.of(new PricedUsage(Usage.ofTokens(1_000, 100), List.of(), PRICES)));
    assertThat(made.operatorCost()).isSameAs(made.cost());
    assertThat(Charge.NOTHING.operatorCost()).isSameAs(MicroUsd.ZERO);
  }

  @Test
  void ofAResumedStreamEachPartHasTheCostOfItsRoute() {
    var own = new PricedUsage(Usage.ofTokens(1_000, 10), List.of(), PRICES, PriceList.FREE);
    var other = new PricedUsage(Usage.ofTokens(1_000, 100), List.of(), PRICES);
    Charge made = Charge.of(List.of(own, other));
    assertThat(made.cost()).isEqualTo(new MicroUsd(366));
    assertThat(made.operatorCost()).isEqualTo(new MicroUsd(210));
  }

  /** The one is to the cost of the route what the other is to the price. */
  @Test
  void itIsTheChargeThatTheCostWouldMakeAsAPrice() {
    Seeds.forEach(
        1_000,
        random -> {
          Usage usage = Usage.ofTokens(random.nextLong(200_000), random.nextLong(10_000));
          List<Quantity> quantities = List.of(new Quantity.Characters(random.nextInt(5_000)));
          PriceList cost = AnyPrices.list(random);
          var part = new PricedUsage(usage, quantities, AnyPrices.list(random), cost);
          assertThat(Charge.of(List.of(part)).operatorCost())
              .isEqualTo(Cost.of(usage, quantities, cost));
        });
  }
}
