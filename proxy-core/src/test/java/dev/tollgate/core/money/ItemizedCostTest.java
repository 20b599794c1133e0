package dev.tollgate.core.money;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.tollgate.core.money.Cost.PricedUsage;
import dev.tollgate.core.money.ItemizedCost.Line;
import dev.tollgate.core.money.PriceList.Tier;
import dev.tollgate.core.testkit.Seeds;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The lines of a charge, and that their sum is the charge. */
class ItemizedCostTest {
  private static final int RUNS = 3_000;

  @Test
  void theSumOfTheLinesRoundedOnceIsTheCharge() {
    Seeds.forEach(
        RUNS,
        random -> {
          List<PricedUsage> parts = new ArrayList<>();
          for (int i = random.nextInt(4); i >= 0; i--) {
            parts.add(
                new PricedUsage(
                    AnyPrices.usage(random), AnyPrices.quantities(random), AnyPrices.list(random)));
          }
          ItemizedCost itemized = ItemizedCost.of(parts);
          BigInteger sum =
              itemized.lines().stream().map(Line::pico).reduce(BigInteger.ZERO, BigInteger::add);
          long micro = new BigDecimal(sum, 6).setScale(0, RoundingMode.HALF_UP).longValueExact();
          assertThat(itemized.totalPico()).isEqualTo(sum);
          assertThat(itemized.rounded()).isEqualTo(Cost.of(parts));
          assertThat(itemized.rounded().value())
              .isEqualTo(sum.signum() == 0 ? 0 : Math.max(1, micro));
        });
  }

  @Test
  void aLineHasItsUnitItsQuantityAndThePriceOfItsTier() {
    PriceList prices =
        new PriceList(
            TokenPrices.of(100, 200),
            List.of(new Tier(1_000, TokenPrices.of(50, 70))),
            9,
            0,
            3_000_000,
            List.of(),
            0,
            0);
    var usage = new Usage(1_200, 30, 200, 0, 0, 0, 0, 10, 0, 0, false);
    var audio = new Quantity.AudioTime(Duration.ofMillis(1_500));

    ItemizedCost itemized =
        ItemizedCost.of(List.of(new PricedUsage(usage, List.of(audio), prices)));

    assertThat(itemized.lines())
        .extracting(Line::unit, Line::quantity, Line::pricePico)
        .containsExactly(
            tuple(PricedUnit.REQUEST, 1L, 9L),
            tuple(PricedUnit.PROMPT_TOKEN, 1_000L, 50L),
            tuple(PricedUnit.CACHED_TOKEN, 200L, 50L),
            tuple(PricedUnit.COMPLETION_TOKEN, 20L, 70L),
            tuple(PricedUnit.REASONING_TOKEN, 10L, 70L),
            tuple(PricedUnit.AUDIO_MICROSECOND, 1_500_000L, 3L));
    assertThat(itemized.totalPico()).isEqualTo(BigInteger.valueOf(4_562_109));
    assertThat(itemized.rounded()).isEqualTo(new MicroUsd(5));
  }
}
