package dev.tollgate.server.settings;

import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.PriceList.ImagePrice;
import dev.tollgate.core.money.PriceList.Tier;
import dev.tollgate.core.money.TokenPrices;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Converts configured prices into the core's integer price lists. USD with 6 decimals per million
 * units is the same number in micro-USD per million units and in pico-USD per unit.
 */
final class PriceLists {
  /** Price that the word {@code free} stands for. */
  static final PriceSettings FREE = perRequest(null);

  private static final long UNITS_PER_MILLION = 1_000_000;

  private PriceLists() {}

  static PriceSettings perRequest(@Nullable MicroUsd request) {
    return new PriceSettings(
        null, TokenPriceSettings.NONE, null, null, List.of(), null, null, request, List.of());
  }

  static PriceList of(PriceSettings price) {
    return new PriceList(
        tokens(price.input(), price.tokens()),
        price.tiers().stream().map(PriceLists::tier).toList(),
        perUnit(price.request()),
        perMillion(price.characters(), null),
        perUnit(price.audioSecond()),
        price.image().stream().map(PriceLists::image).toList(),
        perUnit(price.videoSecond()),
        perUnit(price.musicSecond()));
  }

  private static Tier tier(PriceSettings.TierSettings tier) {
    return new Tier(tier.aboveInputTokens(), tokens(tier.input(), tier.tokens()));
  }

  private static TokenPrices tokens(@Nullable MicroUsd input, TokenPriceSettings other) {
    MicroUsd cacheWrite = other.cacheWrite();
    MicroUsd cacheWrite1h = other.cacheWrite1h();
    return new TokenPrices(
        perMillion(input, null),
        perMillion(other.cachedInput(), input),
        perMillion(cacheWrite, input),
        perMillion(cacheWrite1h == null ? cacheWrite : cacheWrite1h, input),
        perMillion(other.audioInput(), input),
        perMillion(other.imageInput(), input),
        perMillion(other.output(), null),
        perMillion(other.reasoning(), other.output()),
        perMillion(other.audioOutput(), other.output()));
  }

  private static ImagePrice image(PriceSettings.ImagePriceSettings image) {
    return new ImagePrice(
        Optional.ofNullable(image.size()),
        Optional.ofNullable(image.quality()),
        perUnit(image.price()));
  }

  private static long perMillion(@Nullable MicroUsd configured, @Nullable MicroUsd fallback) {
    MicroUsd price = configured == null ? fallback : configured;
    return price == null ? 0 : price.value();
  }

  private static long perUnit(@Nullable MicroUsd price) {
    return price == null ? 0 : Math.multiplyExact(price.value(), UNITS_PER_MILLION);
  }
}
