package dev.tollgate.core.money;

import java.time.Duration;
import java.util.List;

/**
 * Calculator of the charge for a request's usage and of its cost to the operator, the only place
 * that rounds (docs/decisions/money.md#rounding). Amounts are summed in pico-USD, rounded half up
 * to micro-USD once per request, and at least 1 if something priced above zero was used.
 */
public final class Cost {
  private static final long MICROS_PER_SECOND = 1_000_000;

  private Cost() {}

  /**
   * Usage of one provider, with its prices.
   *
   * @param quantities everything except tokens
   * @param operatorPrices what the operator pays; the same list if that is the price
   */
  public record PricedUsage(
      Usage usage, List<Quantity> quantities, PriceList prices, PriceList operatorPrices) {
    public PricedUsage {
      quantities = List.copyOf(quantities);
    }

    /** Creates a usage for which the operator pays the price. */
    public PricedUsage(Usage usage, List<Quantity> quantities, PriceList prices) {
      this(usage, quantities, prices, prices);
    }

    /** True if anything was delivered. */
    public boolean hasUsage() {
      return usage.totalTokens() > 0 || !quantities.isEmpty();
    }
  }

  /** Receiver of the products of a charge: {@code units} at a price in pico-USD each. */
  interface Products {
    void add(PricedUnit unit, long units, long perUnit);
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
      add(sum, part);
    }
    return sum.rounded();
  }

  /**
   * Returns what the parts of a charge cost the operator: the charge itself, unless a route has a
   * cost of its own.
   */
  public static MicroUsd toOperator(List<PricedUsage> parts, MicroUsd charge) {
    boolean isPrice = true;
    for (PricedUsage part : parts) {
      isPrice &= part.operatorPrices.equals(part.prices);
    }
    if (isPrice) { // most requests: nothing is summed again
      return charge;
    }
    PicoSum sum = new PicoSum();
    for (PricedUsage part : parts) {
      add(sum, part.usage, part.quantities, part.operatorPrices);
    }
    return sum.rounded();
  }

  /** Returns the charge for tokens, all other quantities and the per-request price. */
  public static MicroUsd of(Usage usage, List<Quantity> quantities, PriceList prices) {
    PicoSum sum = new PicoSum();
    add(sum, usage, quantities, prices);
    return sum.rounded();
  }

  static void add(Products sum, PricedUsage part) {
    add(sum, part.usage, part.quantities, part.prices);
  }

  private static void add(Products sum, Usage usage, List<Quantity> quantities, PriceList prices) {
    sum.add(PricedUnit.REQUEST, 1, prices.perRequest());
    addTokens(sum, usage, prices.tokensFor(usage.promptTokens()));
    for (Quantity quantity : quantities) {
      add(sum, quantity, prices);
    }
  }

  private static void addTokens(Products sum, Usage usage, TokenPrices price) {
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

    sum.add(PricedUnit.PROMPT_TOKEN, prompt - cached - written - audioIn - imageIn, price.input());
    sum.add(PricedUnit.CACHED_TOKEN, cached, price.cachedInput());
    sum.add(PricedUnit.CACHE_WRITE_TOKEN, written - written1h, price.cacheWrite());
    sum.add(PricedUnit.CACHE_WRITE_1H_TOKEN, written1h, price.cacheWrite1h());
    sum.add(PricedUnit.AUDIO_INPUT_TOKEN, audioIn, price.audioInput());
    sum.add(PricedUnit.IMAGE_INPUT_TOKEN, imageIn, price.imageInput());
    sum.add(PricedUnit.COMPLETION_TOKEN, completion - audioOut - reasoning, price.output());
    sum.add(PricedUnit.AUDIO_OUTPUT_TOKEN, audioOut, price.audioOutput());
    sum.add(PricedUnit.REASONING_TOKEN, reasoning + usage.billedOnTop(), price.reasoning());
  }

  static void add(Products sum, Quantity quantity, PriceList prices) {
    switch (quantity) {
      case Quantity.Characters(long count) ->
          sum.add(PricedUnit.CHARACTER, Math.max(0, count), prices.perCharacter());
      case Quantity.AudioTime(var time) ->
          addTime(sum, PricedUnit.AUDIO_MICROSECOND, time, prices.perAudioSecond());
      case Quantity.VideoTime(var time) ->
          addTime(sum, PricedUnit.VIDEO_MICROSECOND, time, prices.perVideoSecond());
      case Quantity.MusicTime(var time) ->
          addTime(sum, PricedUnit.MUSIC_MICROSECOND, time, prices.perMusicSecond());
      case Quantity.Images images ->
          sum.add(PricedUnit.IMAGE, Math.max(0, images.count()), prices.perImage(images));
    }
  }

  private static void addTime(Products sum, PricedUnit unit, Duration time, long perSecond) {
    sum.add(unit, Quantity.micros(time), perSecond / MICROS_PER_SECOND);
  }
}
