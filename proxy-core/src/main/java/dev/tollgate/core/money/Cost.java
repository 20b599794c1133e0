package dev.tollgate.core.money;

import java.time.Duration;
import java.util.List;

/**
 * Calculator of the charge for a request's usage, the only place that rounds
 * (docs/decisions/money.md#rounding). Amounts are summed in pico-USD, rounded half up to micro-USD
 * once per request, and at least 1 if something priced above zero was used.
 */
public final class Cost {
  private static final long MICROS_PER_SECOND = 1_000_000;
  // Longer than any media: 30 years.
  private static final long SECONDS_MAX = 1_000_000_000;

  private Cost() {}

  /**
   * Usage of one provider, with its prices.
   *
   * @param quantities everything except tokens
   */
  public record PricedUsage(Usage usage, List<Quantity> quantities, PriceList prices) {
    public PricedUsage {
      quantities = List.copyOf(quantities);
    }

    /** True if anything was delivered. */
    public boolean hasUsage() {
      return usage.totalTokens() > 0 || !quantities.isEmpty();
    }
  }

  /** Returns the charge for tokens and the per-request price. */
  public static MicroUsd ofTokens(Usage usage, PriceList prices) {
    return of(usage, List.of(), prices);
  }

  /**
   * Returns the charge for what several providers delivered to one request, each at its own prices.
   */
  public static MicroUsd of(List<PricedUsage> parts) {
    PicoSum sum = new PicoSum();
    for (PricedUsage part : parts) {
      add(sum, part.usage, part.quantities, part.prices);
    }
    return sum.rounded();
  }

  /** Returns the charge for tokens, all other quantities and the per-request price. */
  public static MicroUsd of(Usage usage, List<Quantity> quantities, PriceList prices) {
    PicoSum sum = new PicoSum();
    add(sum, usage, quantities, prices);
    return sum.rounded();
  }

  private static void add(PicoSum sum, Usage usage, List<Quantity> quantities, PriceList prices) {
    sum.add(1, prices.perRequest());
    addTokens(sum, usage, prices.tokensFor(usage.promptTokens()));
    for (Quantity quantity : quantities) {
      add(sum, quantity, prices);
    }
  }

  private static void addTokens(PicoSum sum, Usage usage, TokenPrices price) {
    // Providers have reported more cached than prompt tokens: no part may exceed what is left.
    long prompt = usage.promptTokens();
    long cached = Math.min(usage.cachedTokens(), prompt);
    long written = Math.min(usage.cacheWriteTokens(), prompt - cached);
    long written1h = Math.min(usage.cacheWrite1hTokens(), written);
    long audioIn = Math.min(usage.audioInputTokens(), prompt - cached - written);
    long imageIn = Math.min(usage.imageInputTokens(), prompt - cached - written - audioIn);

    long completion = usage.completionTokens();
    long audioOut = Math.min(usage.audioOutputTokens(), completion);
    long reasoningInside = usage.billedOnTop() > 0 ? 0 : usage.reasoningTokens();
    long reasoning = Math.min(reasoningInside, completion - audioOut);

    sum.add(prompt - cached - written - audioIn - imageIn, price.input())
        .add(cached, price.cachedInput())
        .add(written - written1h, price.cacheWrite())
        .add(written1h, price.cacheWrite1h())
        .add(audioIn, price.audioInput())
        .add(imageIn, price.imageInput())
        .add(completion - audioOut - reasoning, price.output())
        .add(audioOut, price.audioOutput())
        .add(reasoning, price.reasoning())
        .add(usage.billedOnTop(), price.reasoning());
  }

  static void add(PicoSum sum, Quantity quantity, PriceList prices) {
    switch (quantity) {
      case Quantity.Characters(long count) -> sum.add(Math.max(0, count), prices.perCharacter());
      case Quantity.AudioTime(var time) -> addTime(sum, time, prices.perAudioSecond());
      case Quantity.VideoTime(var time) -> addTime(sum, time, prices.perVideoSecond());
      case Quantity.MusicTime(var time) -> addTime(sum, time, prices.perMusicSecond());
      case Quantity.Images images -> sum.add(Math.max(0, images.count()), prices.perImage(images));
    }
  }

  /** Adds a time in microseconds, rounded up, which is finer than any provider reports. */
  private static void addTime(PicoSum sum, Duration time, long perSecond) {
    long seconds = Math.clamp(time.getSeconds(), 0, SECONDS_MAX);
    long fraction = time.isNegative() ? 0 : Math.ceilDiv(time.getNano(), 1_000);
    sum.add(seconds * MICROS_PER_SECOND + fraction, perSecond / MICROS_PER_SECOND);
  }
}
