package dev.tollgate.core.money;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.money.PriceList.Tier;
import dev.tollgate.core.testkit.Seeds;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/** Properties of every charge, for any usage and any prices. */
class CostPropertyTest {
  private static final int RUNS = 5_000;
  private static final BigDecimal PICO_PER_MICRO = BigDecimal.valueOf(1_000_000);

  @Test
  void aChargeIsTheExactSumRoundedOnce() {
    Seeds.forEach(
        RUNS,
        random -> {
          PriceList prices = AnyPrices.list(random);
          Usage usage = AnyPrices.usage(random);
          List<Quantity> quantities = AnyPrices.quantities(random);
          BigDecimal pico = pico(usage, prices);
          for (Quantity quantity : quantities) {
            pico = pico.add(pico(quantity, prices));
          }
          long micro =
              pico.divide(PICO_PER_MICRO).setScale(0, RoundingMode.HALF_UP).longValueExact();
          assertThat(Cost.of(usage, quantities, prices).value())
              .isEqualTo(pico.signum() == 0 ? 0 : Math.max(1, micro));
        });
  }

  /** Computes the charge in decimals, part by part, from what is left of the prompt. */
  private static BigDecimal pico(Usage usage, PriceList prices) {
    TokenPrices price = prices.tokens();
    for (Tier tier : prices.tiers()) {
      price = usage.promptTokens() > tier.abovePromptTokens() ? tier.tokens() : price;
    }
    long[] prompt = {usage.promptTokens()};
    long cached = take(prompt, usage.cachedTokens());
    long[] written = {take(prompt, usage.cacheWriteTokens())};
    long written1h = take(written, usage.cacheWrite1hTokens());
    long audioIn = take(prompt, usage.audioInputTokens());
    long imageIn = take(prompt, usage.imageInputTokens());
    long[] completion = {usage.completionTokens()};
    long audioOut = take(completion, usage.audioOutputTokens());
    boolean onTop = usage.billedOnTop() > 0;
    long reasoning = onTop ? usage.billedOnTop() : take(completion, usage.reasoningTokens());
    return BigDecimal.valueOf(prices.perRequest())
        .add(product(prompt[0], price.input()))
        .add(product(cached, price.cachedInput()))
        .add(product(written[0], price.cacheWrite()))
        .add(product(written1h, price.cacheWrite1h()))
        .add(product(audioIn, price.audioInput()))
        .add(product(imageIn, price.imageInput()))
        .add(product(completion[0], price.output()))
        .add(product(audioOut, price.audioOutput()))
        .add(product(reasoning, price.reasoning()));
  }

  private static BigDecimal pico(Quantity quantity, PriceList prices) {
    return switch (quantity) {
      case Quantity.Characters(long count) -> product(count, prices.perCharacter());
      case Quantity.AudioTime(Duration time) -> seconds(time, prices.perAudioSecond());
      case Quantity.VideoTime(Duration time) -> seconds(time, prices.perVideoSecond());
      case Quantity.MusicTime(Duration time) -> seconds(time, prices.perMusicSecond());
      case Quantity.Images images -> product(images.count(), prices.perImage(images));
    };
  }

  private static BigDecimal seconds(Duration time, long perSecond) {
    return BigDecimal.valueOf(time.toNanos(), 9).multiply(BigDecimal.valueOf(perSecond));
  }

  private static BigDecimal product(long count, long price) {
    return BigDecimal.valueOf(count).multiply(BigDecimal.valueOf(price));
  }

  private static long take(long[] left, long count) {
    long taken = Math.min(left[0], count);
    left[0] -= taken;
    return taken;
  }

  @Test
  void moreOfAnythingNeverCostsLess() {
    Seeds.forEach(
        RUNS,
        random -> {
          PriceList prices = withoutTiers(AnyPrices.list(random));
          Usage some = AnyPrices.usage(random);
          long more = AnyPrices.count(random);
          assertRises(more, prices, n -> with(some, some.promptTokens() + n, some.billedOnTop()));
          assertRises(
              more, prices, n -> Usage.ofTokens(some.promptTokens(), some.completionTokens() + n));
          // From 1 on: nothing on top means that reasoning is inside.
          assertRises(more, prices, n -> with(some, some.promptTokens(), 1 + n));
          for (Quantity quantity : AnyPrices.quantities(random)) {
            MicroUsd once = Cost.of(some, List.of(quantity), prices);
            MicroUsd twice = Cost.of(some, List.of(quantity, quantity), prices);
            assertThat(twice).isGreaterThanOrEqualTo(once);
          }
        });
  }

  private static void assertRises(long more, PriceList prices, LongFunction<Usage> usage) {
    assertThat(Cost.ofTokens(usage.apply(more), prices))
        .isGreaterThanOrEqualTo(Cost.ofTokens(usage.apply(0), prices));
  }

  @Test
  void readingFromACheaperCacheNeverCostsMore() {
    Seeds.forEach(
        RUNS,
        random -> {
          TokenPrices p = AnyPrices.tokens(random);
          long least =
              Math.min(
                  Math.min(p.input(), p.imageInput()), Math.min(p.audioInput(), p.cacheWrite()));
          TokenPrices cheap =
              new TokenPrices(
                  p.input(),
                  Math.min(least, p.cacheWrite1h()),
                  p.cacheWrite(),
                  p.cacheWrite1h(),
                  p.audioInput(),
                  p.imageInput(),
                  p.output(),
                  p.reasoning(),
                  p.audioOutput());
          Usage some = AnyPrices.usage(random);
          Usage more = cached(some, some.cachedTokens() + AnyPrices.count(random));
          assertThat(Cost.ofTokens(more, PriceList.ofTokens(cheap)))
              .isLessThanOrEqualTo(Cost.ofTokens(some, PriceList.ofTokens(cheap)));
        });
  }

  @Test
  void aHigherTierNeverMakesALongerPromptCheaper() {
    Seeds.forEach(
        RUNS,
        random -> {
          long[] above = {AnyPrices.count(random), 0};
          above[1] = above[0] + 1 + AnyPrices.count(random);
          long input = AnyPrices.price(random);
          PriceList rising =
              tiered(
                  TokenPrices.of(input, 0),
                  List.of(
                      new Tier(above[0], TokenPrices.of(input * 2, 0)),
                      new Tier(above[1], TokenPrices.of(input * 3, 0))));
          long prompt = AnyPrices.count(random);
          long more = prompt + AnyPrices.count(random);
          assertThat(Cost.ofTokens(Usage.ofTokens(more, 0), rising))
              .isGreaterThanOrEqualTo(Cost.ofTokens(Usage.ofTokens(prompt, 0), rising));
        });
  }

  @Test
  void absurdCountsAndPricesEndAtAMostAndNeverBelowZero() {
    long max = Long.MAX_VALUE;
    Usage absurd = new Usage(max, max, max, max, max, max, max, max, max, max, false);
    TokenPrices dear = new TokenPrices(max, max, max, max, max, max, max, max, max);
    PriceList prices = new PriceList(dear, List.of(), max, max, 0, List.of(), 0, 0);
    assertThat(Cost.of(absurd, List.of(new Quantity.Characters(max)), prices))
        .isEqualTo(PicoSum.MAX);
    assertThat(Cost.ofTokens(Usage.ofTokens(1, 0), prices).value())
        .isEqualTo(2 * (max / 1_000_000) + 2); // 2 × 9223372036854.775807
    assertThat(new WorstCase(max, max, true, List.of()).cost(prices)).isEqualTo(PicoSum.MAX);
    Usage below = new Usage(-1, -1, -1, -1, -1, -1, -1, -1, -1, Long.MIN_VALUE, false);
    assertThat(below).isEqualTo(Usage.ZERO);
    Quantity long1 = new Quantity.AudioTime(Duration.ofSeconds(max));
    PriceList audio = new PriceList(TokenPrices.ZERO, List.of(), 0, 0, 1_000_000, List.of(), 0, 0);
    assertThat(Cost.of(Usage.ZERO, List.of(long1), audio).value()).isEqualTo(1_000_000_000);
  }

  private static PriceList withoutTiers(PriceList of) {
    return new PriceList(
        of.tokens(),
        List.of(),
        of.perRequest(),
        of.perCharacter(),
        of.perAudioSecond(),
        of.images(),
        of.perVideoSecond(),
        of.perMusicSecond());
  }

  private static PriceList tiered(TokenPrices base, List<Tier> tiers) {
    return new PriceList(base, tiers, 0, 0, 0, List.of(), 0, 0);
  }

  private static Usage with(Usage of, long promptTokens, long billedOnTop) {
    return new Usage(
        promptTokens,
        of.completionTokens(),
        of.cachedTokens(),
        of.cacheWriteTokens(),
        of.cacheWrite1hTokens(),
        of.audioInputTokens(),
        of.imageInputTokens(),
        of.reasoningTokens(),
        of.audioOutputTokens(),
        billedOnTop,
        false);
  }

  private static Usage cached(Usage of, long cachedTokens) {
    return new Usage(
        of.promptTokens(),
        of.completionTokens(),
        cachedTokens,
        of.cacheWriteTokens(),
        of.cacheWrite1hTokens(),
        of.audioInputTokens(),
        of.imageInputTokens(),
        of.reasoningTokens(),
        of.audioOutputTokens(),
        of.billedOnTop(),
        false);
  }
}
