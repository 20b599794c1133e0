package dev.tollgate.core.money;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.money.PriceList.Tier;
import dev.tollgate.core.testkit.Seeds;
import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Charge of a request: exact, rounded once, and never 0 if something priced was used. */
class CostTest {
  @ParameterizedTest
  @CsvSource({
    // pico-USD per token, tokens, micro-USD
    "1, 1, 1",
    "499999, 1, 1",
    "500000, 1, 1",
    "1499999, 1, 1",
    "1500000, 1, 2",
    "2500000, 1, 3",
    "2500000, 3, 8",
    "150000, 3, 1",
    "150000, 10, 2",
    "75000, 1024, 77",
    "0, 1000000, 0",
    "1000000, 0, 0",
  })
  void aSumIsRoundedHalfUpOnceAndIsAtLeastOne(long price, long tokens, long micro) {
    Usage usage = Usage.ofTokens(tokens, 0);
    assertThat(Cost.ofTokens(usage, PriceList.ofTokens(TokenPrices.of(price, 0))).value())
        .isEqualTo(micro);
  }

  @Test
  void partsAreSummedBeforeTheyAreRounded() {
    PriceList prices =
        PriceList.ofTokens(new TokenPrices(400_000, 400_000, 0, 0, 0, 400_000, 400_000, 400_000));
    Usage usage = new Usage(2, 2, 1, 0, 0, 0, 1, 0, 0, false);
    // 4 × 0.4 = 1.6, not 4 × round(0.4).
    assertThat(Cost.ofTokens(usage, prices).value()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "200000, 500000",
    "200001, 1000005",
    "999999, 4999995",
    "1000000, 5000000",
    "1000001, 10000010"
  })
  void aTierAppliesStrictlyAboveItsThresholdAndToTheWholePrompt(long prompt, long micro) {
    List<Tier> tiers =
        List.of(
            new Tier(200_000, TokenPrices.of(5_000_000, 1)),
            new Tier(1_000_000, TokenPrices.of(10_000_000, 1)));
    PriceList prices = new PriceList(TokenPrices.of(2_500_000, 1), tiers, 0, 0, 0, List.of(), 0, 0);
    assertThat(Cost.ofTokens(Usage.ofTokens(prompt, 0), prices).value()).isEqualTo(micro);
  }

  @ParameterizedTest
  @CsvSource({
    // prompt, of which cached, audio, images, micro-USD: 5 and 8 a token, cached 1, audio 6
    "100, 0, 0, 0, 500",
    "100, 0, 0, 40, 620",
    "100, 0, 0, 100, 800",
    "100, 0, 0, 101, 800",
    "100, 30, 0, 80, 590",
    "100, 0, 50, 80, 700",
    "1, 0, 0, 1, 8"
  })
  void imagesOfAPromptHaveTheirPrice(long prompt, long cached, long audio, long images, long cost) {
    long micro = 1_000_000;
    var prices =
        new TokenPrices(5 * micro, micro, 5 * micro, 5 * micro, 6 * micro, 8 * micro, 0, 0, 0);
    Usage usage = new Usage(prompt, 0, cached, 0, 0, audio, images, 0, 0, 0, false);
    assertThat(Cost.ofTokens(usage, PriceList.ofTokens(prices)).value()).isEqualTo(cost);
    assertThat(WorstCase.ofTokens(prompt, 0, false).cost(PriceList.ofTokens(prices)).value())
        .isGreaterThanOrEqualTo(audio == 0 ? cost : 0);
  }

  @Test
  void thePriceOfARequestIsAddedOnce() {
    PriceList prices =
        new PriceList(TokenPrices.of(100_000, 0), List.of(), 700_000, 0, 0, List.of(), 0, 0);
    assertThat(Cost.ofTokens(Usage.ofTokens(8, 0), prices).value()).isEqualTo(2);
    assertThat(Cost.ofTokens(Usage.ZERO, prices).value()).isEqualTo(1);
  }

  @Test
  void noPartOfAnyUsageIsPaidTwiceOrBelowZero() {
    Seeds.forEach(
        random -> {
          long unit = 1L + random.nextInt(1_000_000_000);
          TokenPrices one = new TokenPrices(unit, unit, unit, unit, unit, unit, unit, unit);
          Usage usage = usage(random);
          BigInteger pico =
              BigInteger.valueOf(usage.totalTokens() + usage.billedOnTop())
                  .multiply(BigInteger.valueOf(unit));
          BigInteger micro =
              pico.add(BigInteger.valueOf(500_000)).divide(BigInteger.valueOf(1_000_000));
          long least = pico.signum() == 0 ? 0 : 1;
          assertThat(Cost.ofTokens(usage, PriceList.ofTokens(one)).value())
              .isEqualTo(Math.max(least, micro.longValueExact()));
        });
  }

  private static Usage usage(Random random) {
    long reasoning = random.nextInt(2_000);
    return new Usage(
        random.nextInt(3_000),
        random.nextInt(3_000),
        random.nextInt(4_000),
        random.nextInt(4_000),
        random.nextInt(4_000),
        random.nextInt(4_000),
        reasoning,
        random.nextInt(4_000),
        random.nextBoolean() ? reasoning : 0,
        false);
  }
}
